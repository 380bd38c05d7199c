package import Series

/// The state of one alert of one bot, as a checkpoint stores it. A checkpoint stores the alerts that fire or are
/// pending, that an operator has resolved while their condition holds, and that began to fire a short time ago.
package struct AlertState: Equatable, Sendable {
    package var snapshot: AlertSnapshot
    /// Whether it fires, and the time since which its condition holds or has ceased to hold, in nanoseconds of the
    /// evaluator's clock.
    package var course: FiringHysteresis
    /// The totals that the increase is computed from.
    package var looks: [IncreaseTrack.Look]
    /// Whether an operator has resolved it, and its condition has held ever since.
    package var isDismissed: Bool

    package init(
        snapshot: AlertSnapshot, heldSince: Int64?, clearSince: Int64? = nil, looks: [IncreaseTrack.Look] = [],
        isDismissed: Bool = false, begins: [Int64] = []
    ) {
        self.snapshot = snapshot
        course = FiringHysteresis(
            heldSince: heldSince, clearSince: clearSince, isFiring: snapshot.state == .firing, begins: begins)
        self.looks = looks
        self.isDismissed = isDismissed
    }
}

extension AlertEvaluator {
    /// The states that a restart must preserve.
    package var states: [AlertState] {
        return alerts.values.compactMap { instance in
            let isUnderWay = instance.snapshot.state != .inactive || instance.isDismissed
            let course = instance.course
            // An alert without a calm time ends at once, so nothing is stored against its flapping.
            let mayFlap =
                instance.definition.resolveSeconds > 0
                && course.hasBegun(within: FiringHysteresis.flapSpanSeconds * 1_000_000_000, of: lastEvaluation ?? 0)
            guard isUnderWay || mayFlap else { return nil }
            return AlertState(
                snapshot: instance.snapshot, heldSince: course.heldSince, clearSince: course.clearSince,
                looks: isUnderWay ? instance.track.looks : [], isDismissed: instance.isDismissed,
                begins: course.begins)
        }
    }

    /// Restores the states of an earlier collector. An alert that has no data yet, or whose window of records is not
    /// whole again yet, keeps its state for the length of its window, but for at least ten seconds. An alert without a
    /// window keeps it for ten seconds.
    ///
    /// - Parameter states: The states. States whose definition is no longer in force, or has another condition, are
    ///   ignored.
    package mutating func restore(_ states: [AlertState], nowNanoseconds now: Int64) {
        for state in states {
            let definition = definitions.first { $0.name == state.snapshot.alert }
            guard let definition, definition.condition == state.snapshot.condition,
                definition.bot.matches(state.snapshot.bot)
            else { continue }
            var instance = Instance(
                definition: definition, snapshot: state.snapshot,
                track: IncreaseTrack(window: definition.window, looks: state.looks, nowNanoseconds: now))
            (instance.snapshot.severity, instance.snapshot.unit) = (definition.severity, definition.unit)
            instance.isDismissed = state.isDismissed
            instance.course = state.course.restored(now: now)
            let patience = definition.statistic.hasWindow ? definition.window.lengthSeconds : 0
            instance.patientUntil = now + max(10, patience) * 1_000_000_000
            alerts[Key(alert: definition.name, bot: state.snapshot.bot)] = instance
        }
    }
}

extension AlertDefinition.Statistic {
    /// Whether the value is of a window.
    var hasWindow: Bool {
        switch self {
        case .quantile, .increase, .rate, .ratio, .growth, .rateToMedian: true
        case .value, .age, .absent, .stale: false
        }
    }

    /// Whether the value is read from a window of records. A restart empties windows and preserves totals.
    var isEmptiedByRestart: Bool {
        if case .quantile = self { true } else { false }
    }
}
