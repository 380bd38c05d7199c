internal import SQLite

extension HistoryStore {
    /// Packs the minutes before a minute: into one row per series and hour instead of one per chunk and minute. Adds to
    /// hours that are already packed.
    ///
    /// Each hour of a chunk of 64 series is one transaction. So memory is bounded however much came late, and an
    /// interruption leaves each of them packed or not packed.
    ///
    /// - Parameter minute: minutes before it are packed.
    package func pack(before minute: Int64) throws(HistoryFailure) {
        var places: [(chunk: Int64, hour: Int64)] = []
        try database.run(
            "SELECT DISTINCT chunk, minute / 60 FROM minute WHERE minute < ? ORDER BY 1, 2", [.integer(minute)]
        ) { row throws(HistoryFailure) in places.append((row.integer(0), row.integer(1))) }
        for place in places {
            let first = place.hour * Self.minutesPerHour
            try database.transaction { () throws(HistoryFailure) in
                try pack(chunk: place.chunk, first..<min(minute, first + Self.minutesPerHour))
            }
        }
    }

    private func pack(chunk: Int64, _ minutes: Range<Int64>) throws(HistoryFailure) {
        var blocks: [Int64: HourBlock] = [:]
        var since: [Int64: MinuteValue] = [:]
        var seen: [Int64: Int64] = [:]
        try database.run(
            "SELECT minute, body FROM minute WHERE chunk = ? AND minute >= ? AND minute < ? ORDER BY minute, id",
            [.integer(chunk), .integer(minutes.lowerBound), .integer(minutes.upperBound)]
        ) { row throws(HistoryFailure) in
            let minute = row.integer(0)
            let hour = minute / Self.minutesPerHour
            try readable { () throws(HistoryDamage) in
                try MinuteChunk.forEach(in: row.blob(1), chunk: chunk, where: { _ in true }) { id, value in
                    let place = HistorySchema.hourID(hour: hour, series: id)
                    blocks[place, default: HourBlock(tag: value.tag)].merge(
                        value, atMinute: Int(minute % Self.minutesPerHour))
                    if since[id] == nil { since[id] = value } else { since[id]?.merge(value) }
                    seen[id] = max(seen[id] ?? minute, minute)
                }
            }
        }
        for (place, block) in blocks.sorted(by: { $0.key < $1.key }) { try put(block, at: place) }
        for (id, value) in since {
            if value.tag != .gauge { try raiseBase(of: id, by: value) }
            try database.run(
                "UPDATE series SET seen = max(seen, ?) WHERE id = ?", [.integer(seen[id] ?? 0), .integer(id)])
        }
        try database.run(
            "DELETE FROM minute WHERE chunk = ? AND minute >= ? AND minute < ?",
            [.integer(chunk), .integer(minutes.lowerBound), .integer(minutes.upperBound)])
    }

    private func put(_ block: HourBlock, at place: Int64) throws(HistoryFailure) {
        var block = block
        var packed: [UInt8]?
        try database.run("SELECT body FROM hour WHERE id = ?", [.integer(place)]) { row throws(HistoryFailure) in
            packed = row.blob(0)
        }
        if let packed {
            // An hour that is no longer readable is lost; new values are not.
            if var earlier = try? HourBlock(sealed: packed), earlier.tag == block.tag {
                for (minute, value) in block.minutes.enumerated() {
                    if let value { earlier.merge(value, atMinute: minute) }
                }
                block = earlier
            }
        }
        try database.run(
            "INSERT OR REPLACE INTO hour(id, body) VALUES(?, ?)", [.integer(place), .blob(block.sealed)])
    }

    private func raiseBase(of id: Int64, by value: MinuteValue) throws(HistoryFailure) {
        guard var base = try base(of: id) else { return try put(base: value, of: id) }
        base.merge(value)
        try put(base: base, of: id)
    }

    private func readable(_ body: () throws(HistoryDamage) -> Void) throws(HistoryFailure) {
        do { try body() } catch { throw HistoryFailure(error) }
    }
}
