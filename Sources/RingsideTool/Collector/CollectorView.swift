internal import RingReader

/// What `/latest` says of rings: as much of it as the tool shows.
struct CollectorView: Decodable {
    struct Bot: Decodable {
        let bot: String
        let up: Bool
        let rings: [Ring]
        let metrics: [Metric]
    }

    /// A series; what is not of its kind is nil.
    struct Metric: Decodable {
        let name: String
        let kind: String
        let unit: String
        let labels: [String: String]
        let rate: Double?
        let windows: [String: Window]?
    }

    /// A histogram's window; nil where it holds no record, or the bot is down.
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
        let position: UInt64
        let backlog: UInt64
        let lost: [String: UInt64]
        /// Seconds; nil where the lane has no ring now.
        let longestReadGap: Double?

        enum CodingKeys: String, CodingKey {
            case lane, position, backlog, lost
            case longestReadGap = "longest_read_gap"
        }

        /// Over all reasons; saturates.
        var lostRecords: UInt64 {
            lost.values.reduce(0) { sum, count in
                let (total, overflow) = sum.addingReportingOverflow(count)
                return overflow ? .max : total
            }
        }
    }

    /// When the snapshot was taken, in seconds since the Unix epoch.
    let time: Double
    let bots: [Bot]

    func ring(_ name: RingName) -> Ring? {
        bots.first { $0.bot == name.bot }?.rings.first { $0.lane == name.lane }
    }
}
