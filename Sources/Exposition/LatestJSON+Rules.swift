internal import JSON
import Series

extension JSONWriter {
    /// One element of `slo`; null is no data.
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
            $0.key("threshold")
            $0.number(objective.rule?.threshold)
            $0.key("target")
            $0.number(objective.target)
            $0.key("minimum_events")
            $0.integer(objective.minimumEvents)
            $0.key("state")
            $0.string(objective.state.rawValue)
            $0.counts(objective.counts)
            $0.key("windows")
            $0.object { for window in objective.windows { $0.window(window) } }
            $0.key("error_budget_remaining")
            $0.number(objective.budgetRemaining)
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
            $0.key("compliance")
            $0.number(window.compliance)
        }
    }

    private mutating func burn(_ burn: ObjectiveSnapshot.Burn) {
        object {
            $0.key("long")
            $0.string(burn.longWindow)
            $0.key("short")
            $0.string(burn.shortWindow)
            $0.key("limit")
            $0.number(burn.limit)
            $0.key("long_rate")
            $0.number(burn.longRate)
            $0.key("short_rate")
            $0.number(burn.shortRate)
            $0.key("burning")
            if let isBurning = burn.isBurning { $0.bool(isBurning) } else { $0.null() }
        }
    }

    /// One element of `alerts`: one that fires, or is about to.
    mutating func alert(_ alert: AlertSnapshot) {
        object {
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
            $0.key("value")
            $0.number(alert.value)
            $0.key("labels")
            $0.labels(alert.labels)
            $0.key("since")
            $0.seconds(nanoseconds: alert.sinceUnixNanoseconds)
        }
    }
}
