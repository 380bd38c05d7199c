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
