internal import Rules
internal import Series

extension CollectorSnapshot {
    /// Returns the collector's own problems as series for the built-in alerts, under the bot name of the collector.
    /// This costs less than computing all the series of `/metrics`.
    ///
    /// - Parameter bots: The bots whose rings it drains.
    func conditions(_ bots: [BotSnapshot]) -> BotSnapshot {
        let failing = exports.map { ($0.name, !$0.isOK) } + services.map { ($0.name, $0.failure != nil) }
        let metrics =
            [MetricSnapshot(gauge: AlertDefinition.stateNotSaved, checkpointFailure != nil)]
            + failing.map { MetricSnapshot(gauge: AlertDefinition.exportFailing, $0.1, [Label("export", $0.0)]) }
            + [MetricSnapshot(gauge: AlertDefinition.drainWait, .real(bots.worstRecentWait))]
            + [MetricSnapshot(counter: AlertDefinition.tickJumps, clock?.tickJumps ?? 0)]
        var bot = BotSnapshot.collector
        bot.metrics = metrics
        return bot
    }
}

extension MetricSnapshot {
    fileprivate init(gauge name: String, _ holds: Bool, _ labels: [Label] = []) {
        self.init(gauge: name, .unsigned(holds ? 1 : 0), labels)
    }

    fileprivate init(gauge name: String, _ value: Number, _ labels: [Label] = []) {
        self.init(
            name: name, help: "", unit: .none, labels: labels,
            reading: .gauge(GaugeSnapshot(lane: "", value: value, highest: value, windows: [])))
    }

    fileprivate init(counter name: String, _ value: UInt64) {
        self.init(
            name: name, help: "", unit: .none, labels: [],
            reading: .counter(
                CounterSnapshot(value: .unsigned(value), rate: nil, windows: [], watchedIncrease: Double(value))))
    }
}
