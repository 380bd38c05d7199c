internal import JSON
import Series

extension JSONWriter {
    /// Writes one element of `slo`; null means no data.
    mutating func objective(_ objective: ObjectiveSnapshot) {
        object {
            $0.key("objective")
            $0.string(objective.objective)
            $0.key("bot")
            $0.string(objective.bot)
            $0.key("instrument")
            if let rule = objective.rule { $0.string(rule.instrument) } else { $0.null() }
            $0.key("labels")
            $0.labels(objective.rule?.labels ?? [])
            $0.number("threshold", objective.rule?.threshold)
            $0.number("target", objective.target)
            $0.key("minimum_events")
            $0.integer(objective.minimumEvents)
            $0.key("state")
            $0.string(objective.state.rawValue)
            $0.key("deciding_window")
            if let window = objective.decidingWindow { $0.string(window) } else { $0.null() }
            $0.counts(objective.counts)
            $0.key("windows")
            $0.object { for window in objective.windows { $0.window(window) } }
            $0.number("error_budget_remaining", objective.budgetRemaining)
            $0.key("burn")
            $0.array { for burn in objective.burns { $0.burn(burn) } }
        }
    }

    private mutating func counts(_ counts: EventCounts) {
        key("good")
        integer(counts.good)
        key("bad")
        integer(counts.bad)
    }

    private mutating func window(_ window: ObjectiveSnapshot.Window) {
        key(window.name)
        object {
            $0.counts(window.counts)
            $0.number("compliance", window.compliance)
            $0.number("watched", window.watched)
        }
    }

    private mutating func burn(_ burn: ObjectiveSnapshot.Burn) {
        object {
            $0.key("long")
            $0.string(burn.longWindow)
            $0.key("short")
            $0.string(burn.shortWindow)
            $0.number("limit", burn.limit)
            $0.number("long_rate", burn.longRate)
            $0.number("short_rate", burn.shortRate)
            $0.key("burning")
            if let isBurning = burn.isBurning { $0.bool(isBurning) } else { $0.null() }
        }
    }

    /// Writes one element of `waiting`: a rule that cannot be evaluated before its metric exists.
    mutating func waiting(_ rule: WaitingRule) {
        object {
            $0.key("kind")
            $0.string(rule.kind.rawValue)
            $0.key("name")
            $0.string(rule.name)
            $0.key("metric")
            $0.string(rule.metric)
            $0.key("nearest")
            if rule.nearest.isEmpty { $0.null() } else { $0.string(rule.nearest) }
            $0.key("reason")
            $0.string(rule.reason.text)
        }
    }

    /// Writes one element of `alerts`: an alert that fires or is pending.
    mutating func alert(_ alert: AlertSnapshot) {
        object {
            $0.key("id")
            $0.string(alert.id)
            $0.key("alert")
            $0.string(alert.alert)
            $0.key("severity")
            $0.string(alert.severity)
            $0.key("bot")
            $0.string(alert.bot)
            $0.key("state")
            $0.string(alert.state.rawValue)
            $0.key("condition")
            $0.string(alert.condition)
            $0.key("runbook")
            $0.string(alert.runbook)
            $0.number("value", alert.value)
            $0.key("unit")
            $0.string(alert.unit.rawValue)
            $0.key("labels")
            $0.labels(alert.labels)
            $0.key("since")
            $0.seconds(nanoseconds: alert.sinceUnixNanoseconds)
            $0.moment("unknown_since", alert.unknownSinceUnixNanoseconds)
            $0.moment("resolving_since", alert.resolvingSinceUnixNanoseconds)
            $0.key("silenced")
            $0.bool(alert.isSilenced)
            $0.moment("silenced_until", alert.silencedUntilUnixNanoseconds)
        }
    }

    /// Writes one element of `silences`.
    mutating func silence(_ silence: SilenceSnapshot) {
        object {
            $0.key("id")
            $0.integer(silence.number)
            for (name, text) in [("alert", silence.alert), ("bot", silence.bot), ("reason", silence.reason)] {
                $0.key(name)
                $0.string(text)
            }
            $0.moment("since", silence.sinceUnixNanoseconds)
            $0.moment("until", silence.untilUnixNanoseconds)
        }
    }

    private mutating func moment(_ name: String, _ unixNanoseconds: Int64?) {
        key(name)
        if let unixNanoseconds { seconds(nanoseconds: unixNanoseconds) } else { null() }
    }
}
