/// One statistic of a series compared with its usual range.
package struct LevelSnapshot: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        /// There is nothing yet to compare it with.
        case learning
        case usual, high, low
        /// It was not read for half an hour: too few values came, or some were lost.
        case noData = "no_data"
    }

    /// The values that the usual range was computed from.
    package enum Basis: String, Sendable {
        /// The last hour, and earlier days as far as they are known.
        case recent
        /// The same time of enough earlier days.
        case timeOfDay = "time_of_day"
    }

    package var metric: String
    package var labels: [Label]
    /// A gauge's lane; "" for series that are summed over lanes.
    package var lane: String
    /// The metric's unit.
    package var unit: MetricUnit
    package var statistic: LevelStatistic
    package var state: State
    /// The time since which it is in that state, in seconds since the Unix epoch.
    package var sinceUnixSeconds: Int64
    /// The last reading, in the metric's unit; a rate is per second.
    package var value: Double
    /// The usual range now; nil if there is none yet.
    package var usual: UsualRange?
    /// The number of readings in the last hour, and the number that is needed before any is judged by them.
    package var readings: Int
    package var neededReadings: Int

    package struct UsualRange: Sendable, Equatable {
        package var low: Double
        package var level: Double
        package var high: Double
        package var basis: Basis
        /// The number of earlier days that it was computed from; 0 if only the last hour was used.
        package var days: Int

        package init(low: Double, level: Double, high: Double, basis: Basis, days: Int) {
            self.low = low
            self.level = level
            self.high = high
            self.basis = basis
            self.days = days
        }
    }

    package init(
        metric: String, labels: [Label] = [], lane: String = "", unit: MetricUnit, statistic: LevelStatistic,
        state: State, sinceUnixSeconds: Int64, value: Double, usual: UsualRange?, readings: Int,
        neededReadings: Int
    ) {
        self.metric = metric
        self.labels = labels
        self.lane = lane
        self.unit = unit
        self.statistic = statistic
        self.state = state
        self.sinceUnixSeconds = sinceUnixSeconds
        self.value = value
        self.usual = usual
        self.readings = readings
        self.neededReadings = neededReadings
    }

    /// 1 if high, -1 if low, 0 if usual; nil if unknown.
    package var sign: Int64? {
        switch state {
        case .high: 1
        case .low: -1
        case .usual: 0
        case .learning, .noData: nil
        }
    }

    /// Whether it has left its usual range.
    package var isUnusual: Bool { state == .high || state == .low }

    /// Returns the level of a series that is shown under another name, and in another unit.
    ///
    /// - Parameter countsValues: Whether its rate is a number of values, as a histogram's is, and has no unit.
    func shown(name: String, labels: [Label], _ conversion: UnitConversion, countsValues: Bool) -> LevelSnapshot {
        var shown = self
        (shown.metric, shown.labels, shown.unit) = (name, labels, conversion.unit)
        let scale = conversion.scale
        guard !scale.isIdentity, !(countsValues && statistic == .rate) else { return shown }
        shown.value = scale.scaled(value)
        shown.usual = usual.map {
            UsualRange(
                low: scale.scaled($0.low), level: scale.scaled($0.level), high: scale.scaled($0.high), basis: $0.basis,
                days: $0.days)
        }
        return shown
    }
}
