internal import Exposition
internal import JSON
internal import RingReader

/// The list for programs: numbers as numbers, null for what is not known.
enum ListJSON {
    static func render(_ rows: [RingRow]) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.key("rings")
            $0.array { for row in rows { $0.ring(row) } }
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func ring(_ row: RingRow) {
        let content = try? row.content.get()
        object {
            $0.member("ring", "\(row.name)")
            $0.member("bot", row.name.bot)
            $0.member("lane", row.name.lane)
            $0.member("state", content?.state.rawValue ?? "unreadable")
            $0.member("pid", content?.pid)
            $0.member("age_seconds", content?.ageSeconds)
            $0.member("rate", content?.rate)
            $0.member("position", content?.position)
            $0.member("capacity", content?.capacity)
            $0.member("metrics", content?.metrics)
            $0.member("sampling", content?.sampling.description)
            $0.member("backlog", row.backlog)
            $0.member("lost", row.lost)
            if case .failure(let error) = row.content {
                $0.member("error", error.description)
            } else {
                $0.member("error", String?.none)
            }
        }
    }
}
