internal import FoundationEssentials
internal import RingReader

/// The content of `/latest`, or of a dump of it, that the verbs show.
struct CollectorView: Decodable {
    struct Bot: Decodable {
        let bot: String
        let up: Bool
        /// Nil in a dump of before there was any.
        let state: String?
        let labels: [String: String]
        let rings: [Ring]
        let metrics: [Metric]
        /// Nil in a dump of a collector that had no levels yet.
        let levels: [Level]?
    }

    /// A statistic of a series against its usual range.
    struct Level: Decodable {
        let metric, lane, statistic, unit, state: String
        let labels: [String: String]
        let basis: String?
        let since: Double
        let days: Int
        /// The last reading, and the usual ones; nil while they are not known.
        let value, usual, usualLow, usualHigh: Double?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CollectorKey.self)
            (metric, lane) = (try members.value("metric"), try members.value("lane"))
            (statistic, unit) = (try members.value("statistic"), try members.value("unit"))
            (state, labels) = (try members.value("state"), try members.value("labels"))
            (basis, since, days) = (
                try members.optional("basis"), try members.value("since"), try members.value("days")
            )
            (value, usual) = (try members.number("value"), try members.number("usual"))
            (usualLow, usualHigh) = (try members.number("usual_low"), try members.number("usual_high"))
        }

        var isUnusual: Bool { state == "high" || state == "low" }
    }

    /// A series; members of other kinds are nil.
    struct Metric: Decodable {
        let name: String
        let kind: String
        let unit: String
        let labels: [String: String]
        let lane: String?
        let value, rate, sum, min, max, p50, p95, p99, p999: Double?
        let calls, count: UInt64?
        let windows: [String: Window]?

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
            windows = try members.optional("windows")
        }
    }

    /// A histogram's window; its members are nil if it holds no record, or if the bot is down.
    struct Window: Decodable {
        let count: UInt64?
        let rate: Double?
        let lost: UInt64?
        let complete: Bool?
        let p50, p95, p99, p999, max: Double?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CollectorKey.self)
            (count, lost, complete) = (
                try members.optional("count"), try members.optional("lost"), try members.optional("complete")
            )
            (rate, p50, p95) = (try members.number("rate"), try members.number("p50"), try members.number("p95"))
            (p99, p999, max) = (try members.number("p99"), try members.number("p999"), try members.number("max"))
        }
    }

    struct Ring: Decodable {
        let lane: String
        let position, drained, backlog: UInt64
        let lost: [String: UInt64]
        /// Seconds; nil if the lane has no ring now.
        let longestReadGap: Double?

        enum CodingKeys: String, CodingKey {
            case lane, position, drained, backlog, lost
            case longestReadGap = "longest_read_gap"
        }

        /// Over all reasons but `before_attach`, which is no loss of this collector. The sum saturates.
        var lostRecords: UInt64 {
            lost.filter { $0.key != "before_attach" }.values.reduce(0) { sum, count in
                let (total, overflow) = sum.addingReportingOverflow(count)
                return overflow ? .max : total
            }
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

    /// A ring of the collector's directory that it does not read.
    struct UnreadRing: Decodable {
        let ring: String
        /// The reason, with the remedy.
        let reason: String
    }

    private enum CodingKeys: String, CodingKey {
        case time, bots, slo, alerts
        case unreadRings = "unread_rings"
    }

    /// When the snapshot was taken, in seconds since the Unix epoch.
    let time: Double
    let bots: [Bot]
    let slo: [Objective]
    let alerts: [Alert]
    /// Nil in a dump of a collector that did not list them yet.
    let unreadRings: [UnreadRing]?

    /// - Parameter source: The origin of the answer, for the error.
    init(json: [UInt8], source: String) throws(CollectorError) {
        do {
            self = try JSONDecoder().decode(CollectorView.self, from: Data(json))
        } catch {
            throw CollectorError(description: "\(source) gave no snapshot; is it a ringsided, or a dump of one?")
        }
    }

    func ring(_ name: RingName) -> Ring? {
        bots.first { $0.bot == name.bot }?.rings.first { $0.lane == name.lane }
    }
}

extension CollectorView.Bot {
    /// Its state in one word.
    var shownState: String { state?.printable ?? (up ? "up" : "down") }
    /// Records ever written, over all lanes.
    var position: UInt64 { rings.reduce(0) { $0 &+ $1.position } }
    /// Records lost, over all lanes.
    var lostRecords: UInt64 { rings.reduce(0) { $0 &+ $1.lostRecords } }
}
