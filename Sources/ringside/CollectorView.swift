internal import RingReader

/// What `/latest` says of rings: as much of it as the tool shows.
struct CollectorView: Decodable {
    struct Bot: Decodable {
        let bot: String
        let rings: [Ring]
    }

    struct Ring: Decodable {
        let lane: String
        let backlog: UInt64
        let lost: [String: UInt64]

        /// Over all reasons; saturates.
        var lostRecords: UInt64 {
            lost.values.reduce(0) { sum, count in
                let (total, overflow) = sum.addingReportingOverflow(count)
                return overflow ? .max : total
            }
        }
    }

    let bots: [Bot]

    func ring(_ name: RingName) -> Ring? {
        bots.first { $0.bot == name.bot }?.rings.first { $0.lane == name.lane }
    }
}
