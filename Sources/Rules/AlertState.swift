package import Series

/// How one alert of one bot stood, as it is kept across a restart of the collector: those that fire or are about to.
package struct AlertState: Equatable, Sendable {
    package var snapshot: AlertSnapshot
    /// Since when the condition holds, in nanoseconds of the evaluator's clock; nil where it does not.
    package var heldSince: Int64?
    /// The totals that its increase is made of.
    package var looks: [IncreaseTrack.Look]

    package init(snapshot: AlertSnapshot, heldSince: Int64?, looks: [IncreaseTrack.Look] = []) {
        self.snapshot = snapshot
        self.heldSince = heldSince
        self.looks = looks
    }
}

extension AlertEvaluator {
    /// What is kept across a restart.
    package var states: [AlertState] {
        alerts.values.filter { $0.snapshot.state != .inactive }.map {
            AlertState(snapshot: $0.snapshot, heldSince: $0.heldSince, looks: $0.track.looks)
        }
    }

    /// Goes on from what was kept. An alert that has no data yet, or whose window of records
    /// is not whole again, stands as it did for its window's length, and ten seconds at least.
    ///
    /// - Parameter states: Of definitions that are no longer in force, or have another condition, nothing is taken.
    package mutating func restore(_ states: [AlertState], nowNanoseconds now: Int64) {
        for state in states {
            let definition = definitions.first { $0.name == state.snapshot.alert }
            guard let definition, definition.condition == state.snapshot.condition,
                definition.bot.matches(state.snapshot.bot)
            else { continue }
            var standing = Standing(
                definition: definition, snapshot: state.snapshot,
                track: IncreaseTrack(window: definition.window, looks: state.looks, nowNanoseconds: now))
            standing.snapshot.severity = definition.severity
            standing.heldSince = state.heldSince.map { min($0, now) }
            let patience = definition.statistic == .value ? 0 : definition.window.lengthSeconds
            standing.patientUntil = now + max(10, patience) * 1_000_000_000
            alerts[Key(alert: definition.name, bot: state.snapshot.bot)] = standing
        }
    }
}

extension AlertDefinition.Statistic {
    /// Whether it is read from a window of records, which a restart empties; totals are kept.
    var isOfWindow: Bool {
        if case .quantile = self { true } else { false }
    }
}
