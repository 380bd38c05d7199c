internal import Platform
internal import Rules
internal import Series

/// Logs what objectives, alerts and silences do.
struct RuleLog {
    let logger: Logger

    /// Logs a change of an objective.
    ///
    /// - Parameter reason: Why it ended; nil for an ordinary change.
    func write(_ change: ObjectiveTrackers.Change, nowSeconds: Int64, reason: String? = nil) {
        let tracker = change.tracker
        var fields: [Logger.Field] = [("objective", "\(tracker.definition.name)"), ("bot", "\(tracker.bot)")]
        if let reason { fields.append(("reason", .text(reason))) }
        switch change.change {
        case .state(.noData): logger.info("objective has no data", fields)
        case .state(.met): logger.info(reason == nil ? "objective met" : "objective ended", fields)
        case .state(.violated):
            let snapshot = tracker.snapshot(nowSeconds: nowSeconds)
            if let window = snapshot.windows.first(where: { $0.name == snapshot.decidingWindow }) {
                fields.append(("window", "\(window.name)"))
                if let compliance = window.compliance { fields.append(("compliance", .number(compliance))) }
                fields.append(("bad", .integer(Int64(clamping: window.counts.bad))))
            }
            logger.warn("objective violated", fields)
        case .burn(let burn, isBurning: true):
            logger.warn(
                "error budget burns",
                fields + [
                    ("window", "\(burn.longWindow)/\(burn.shortWindow)"), ("rate", .number(burn.longRate ?? 0)),
                    ("limit", .number(burn.limit)),
                ])
        case .burn(let burn, isBurning: false):
            logger.info(
                "error budget no longer burns", fields + [("window", "\(burn.longWindow)/\(burn.shortWindow)")])
        }
    }

    /// Logs that an alert began or ended to fire.
    func write(_ alert: AlertSnapshot) {
        var fields: [Logger.Field] = [
            ("alert", "\(alert.alert)"), ("severity", "\(alert.severity)"), ("bot", "\(alert.bot)"),
            ("condition", "\(alert.condition)"),
        ]
        if let value = alert.value { fields.append(("value", .number(value))) }
        if !alert.resolution.isEmpty { fields.append(("reason", .text(alert.resolution))) }
        for label in alert.labels { fields.append(("label_\(label.name)", "\(label.value)")) }
        if alert.state == .firing {
            logger.warn("alert firing", fields)
        } else {
            logger.info("alert resolved", fields)
        }
    }

    /// Logs that a rule has nothing to judge.
    func write(_ rule: WaitingRule) {
        var fields: [Logger.Field] = [("\(rule.kind)", .text(rule.name)), ("metric", .text(rule.metric))]
        if !rule.nearest.isEmpty { fields.append(("nearest", .text(rule.nearest))) }
        let reason = rule.reason.kind == .metric ? "no bot has registered it" : rule.reason.text
        logger.warn("\(rule.kind) has nothing to judge", fields + [("reason", .text(reason))])
    }

    func write(began silence: Silence, nanoseconds: Int64) {
        logger.info("silence began", silence.fields + [("seconds", .integer(nanoseconds / 1_000_000_000))])
    }

    func write(ended silence: Silence, reason: String) {
        logger.info("silence ended", silence.fields + [("why", .text(reason))])
    }
}

extension Silence {
    fileprivate var fields: [Logger.Field] {
        [
            ("silence", .integer(Int64(clamping: number))), ("alert", .text(alert.description)),
            ("bot", .text(bot.description)), ("reason", .text(reason)),
        ]
    }
}
