internal import Series

extension Snapshot {
    /// The parts of a serving collector that fail, in the order in which an operator should check them. Each begins
    /// with the key under which `/health` has more.
    var problems: [String] {
        guard let bot = bots.first(where: { !$0.unconvertedSeries.isEmpty }), let first = bot.unconvertedSeries.first
        else { return collector.problems }
        let count = bots.reduce(0) { $0 + $1.unconvertedSeries.count }
        return collector.problems + [
            "unconverted_series: no export has \(count) series, such as \(first.key.name) of bot \(bot.name): "
                + first.reason
        ]
    }
}

extension CollectorSnapshot {
    fileprivate var problems: [String] {
        var problems: [String] = []
        if let checkpointFailure { problems.append("checkpoint_failure: \(checkpointFailure)") }
        if let stateSetAside { problems.append("state_set_aside: \(stateSetAside.reason)") }
        if configuration?.isLastReloadSuccessful == false {
            problems.append(
                "configuration: the last reload was refused, the old configuration is in force; see the log")
        }
        for service in services {
            guard let failure = service.failure else { continue }
            problems.append("\(service.name): \(failure)")
        }
        let failing = exports.filter { !$0.isOK }.map(\.name)
        if !failing.isEmpty {
            problems.append("exports: the last request failed to \(failing.joined(separator: ", ")); see the log")
        }
        let skipped = skippedRings.count(where: \.reason.isFailure)
        if skipped > 0 { problems.append("unread_rings: \(skipped) cannot be read") }
        if let limits, !limits.refusedBots.isEmpty {
            problems.append("refused: max_bots refuses \(limits.refusedBots.count)")
        }
        if let limits, !limits.refusedSeries.isEmpty {
            problems.append("refused: max_series_total refuses series of \(limits.refusedSeries.count) bots")
        }
        return problems
    }
}
