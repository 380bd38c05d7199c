/// What `/latest`, or a dump of it, says: all that a report shows.
struct ReportView: Decodable {
    struct Bot: Decodable {
        let bot: String
        let up: Bool
        let labels: [String: String]
        let rings: [Ring]
        let metrics: [Metric]
    }

    struct Ring: Decodable {
        let lane: String
        let position, drained, backlog: UInt64
        let lost: [String: UInt64]
    }

    /// What is not of its kind is nil.
    struct Metric: Decodable {
        let name: String
        let kind: String
        let unit: String
        let labels: [String: String]
        let lane: String?
        let value, rate, sum, min, max, p50, p95, p99, p999: Double?
        let calls, count: UInt64?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CollectorKey.self)
            (name, kind, unit) = (try members.value("name"), try members.value("kind"), try members.value("unit"))
            (labels, lane) = (try members.value("labels"), try members.optional("lane"))
            (calls, count) = (try members.optional("calls"), try members.optional("count"))
            (value, rate, sum) = (
                try members.number("value"), try members.number("rate"), try members.number("sum")
            )
            (min, max, p50) = (try members.number("min"), try members.number("max"), try members.number("p50"))
            (p95, p99, p999) = (try members.number("p95"), try members.number("p99"), try members.number("p999"))
        }
    }

    struct Objective: Decodable {
        let objective: String
        let bot: String
        let state: String
        let target: Double?
        let threshold: Double?
        let good, bad: UInt64
        let budget: Double?

        enum CodingKeys: String, CodingKey {
            case objective, bot, state, target, threshold, good, bad
            case budget = "error_budget_remaining"
        }
    }

    struct Alert: Decodable {
        let alert, severity, bot, state, condition: String
        let value: Double?
        let since: Double

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CollectorKey.self)
            (alert, severity, bot) = (
                try members.value("alert"), try members.value("severity"), try members.value("bot")
            )
            (state, condition) = (try members.value("state"), try members.value("condition"))
            (value, since) = (try members.number("value"), try members.value("since"))
        }
    }

    /// Unix seconds.
    let time: Double
    let bots: [Bot]
    let slo: [Objective]
    let alerts: [Alert]
}

extension ReportView.Ring {
    var lostRecords: UInt64 { lost.values.reduce(0) { $0 &+ $1 } }
}
