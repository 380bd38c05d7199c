internal import Exposition
internal import JSON

/// A report for programs: totals and losses of each bot, without windows.
enum ReportJSON {
    static func render(_ view: CollectorView) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.key("time")
            $0.number(view.time)
            $0.key("bots")
            $0.array { for bot in view.bots { $0.report(bot) } }
            $0.key("slo")
            $0.array { for one in view.slo { $0.report(one) } }
            $0.key("alerts")
            $0.array { for one in view.alerts { $0.report(one) } }
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func report(_ bot: CollectorView.Bot) {
        object {
            $0.member("bot", bot.bot)
            $0.key("up")
            $0.bool(bot.up)
            $0.texts("labels", bot.labels)
            $0.key("records")
            $0.integer(bot.position)
            $0.key("lost")
            $0.integer(bot.lostRecords)
            $0.key("instruments")
            $0.array { for metric in bot.metrics { $0.report(metric) } }
            $0.key("unusual_levels")
            $0.array { for level in bot.levels ?? [] where level.isUnusual { $0.report(level) } }
        }
    }

    private mutating func report(_ level: CollectorView.Level) {
        object {
            $0.member("metric", level.metric)
            $0.texts("labels", level.labels)
            $0.member("lane", level.lane)
            $0.member("statistic", level.statistic)
            $0.member("unit", level.unit)
            $0.member("state", level.state)
            $0.key("since")
            $0.number(level.since)
            let numbers = [
                ("value", level.value), ("usual", level.usual), ("usual_low", level.usualLow),
                ("usual_high", level.usualHigh),
            ]
            for (key, number) in numbers { $0.number(key, number) }
            $0.member("basis", level.basis ?? "")
            $0.key("days")
            $0.integer(Int64(level.days))
        }
    }

    private mutating func report(_ metric: CollectorView.Metric) {
        object {
            $0.member("name", metric.name)
            $0.member("kind", metric.kind)
            $0.member("unit", metric.unit)
            $0.texts("labels", metric.labels)
            if metric.kind == "gauge" { $0.member("lane", metric.lane ?? "") }
            let isHistogram = metric.kind == "histogram"
            for (key, count) in isHistogram ? [("calls", metric.calls), ("count", metric.count)] : [] {
                $0.key(key)
                $0.integer(count ?? 0)
            }
            let numbers =
                isHistogram
                ? [
                    ("sum", metric.sum), ("min", metric.min), ("max", metric.max), ("p50", metric.p50),
                    ("p95", metric.p95), ("p99", metric.p99), ("p999", metric.p999),
                ] : [("value", metric.value)]
            for (key, number) in numbers { $0.number(key, number) }
        }
    }

    fileprivate mutating func report(_ objective: CollectorView.Objective) {
        object {
            $0.member("objective", objective.objective)
            $0.member("bot", objective.bot)
            $0.member("state", objective.state)
            $0.key("target")
            $0.number(objective.target)
            $0.key("good")
            $0.integer(objective.good)
            $0.key("bad")
            $0.integer(objective.bad)
            $0.key("error_budget_remaining")
            $0.number(objective.budget)
        }
    }

    fileprivate mutating func report(_ alert: CollectorView.Alert) {
        object {
            $0.member("alert", alert.alert)
            $0.member("severity", alert.severity)
            $0.member("bot", alert.bot)
            $0.member("state", alert.state)
            $0.member("condition", alert.condition)
            $0.number("value", alert.value)
            $0.key("since")
            $0.number(alert.since)
        }
    }

    private mutating func member(_ key: String, _ text: String) {
        self.key(key)
        string(text)
    }

    private mutating func texts(_ key: String, _ texts: [String: String]) {
        self.key(key)
        object { json in
            for (name, value) in texts.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
        }
    }
}
