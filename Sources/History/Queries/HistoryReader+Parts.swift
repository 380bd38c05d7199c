/// Reads minutes part by part. However many series are read, only one hour of one series is in memory.
extension HistoryReader {
    /// Calls `body` with the series' value in each minute of a range, hour by hour. A minute may come in several parts,
    /// and parts of one hour in any order.
    ///
    /// - Parameters:
    ///   - hourEnd: called after each hour with the minute that follows it.
    /// - Throws: a failure, also when the answer is no longer wanted.
    func forEachPart(
        of ids: [Int64], in minutes: Range<Int64>, _ pending: PendingParts = PendingParts(),
        hourEnd: (_ minute: Int64) -> Void = { _ in }, _ body: (_ minute: Int64, _ value: MinuteValue) -> Void
    ) throws(HistoryFailure) {
        guard let hours = try hours(in: minutes, pending) else { return }
        let wanted = Set(ids)
        let chunks = Set(ids.filter { $0 >= 0 }.map { MinuteChunk.number(ofSeries: $0) }).sorted()
        func some(_ minute: Int64, _ value: MinuteValue) { if minutes.contains(minute) { body(minute, value) } }
        for hour in hours {
            try checkIsWanted()
            for id in ids where id >= 0 { try forEachPackedPart(of: id, hour: hour, some) }
            for chunk in chunks { try forEachOpenPart(of: wanted, chunk: chunk, hour: hour, some) }
            for id in ids {
                for part in pending.bySeries[id] ?? [] where part.minute / HistoryStore.minutesPerHour == hour {
                    some(part.minute, part.value)
                }
            }
            hourEnd((hour + 1) * HistoryStore.minutesPerHour)
        }
    }

    /// Returns the hours of a range that may have values; nil if there are none.
    func hours(in minutes: Range<Int64>, _ pending: PendingParts) throws(HistoryFailure) -> ClosedRange<Int64>? {
        guard !minutes.isEmpty else { return nil }
        let perHour = HistoryStore.minutesPerHour
        let held = try minutesHeld().map { $0.lowerBound / perHour...$0.upperBound / perHour }
        let all = [held, pending.hours].compactMap(\.self)
        guard let first = all.map(\.lowerBound).min(), let last = all.map(\.upperBound).max() else { return nil }
        let (from, to) = (
            max(first, minutes.lowerBound / perHour), min(last, (minutes.upperBound - 1) / perHour)
        )
        return from <= to ? from...to : nil
    }

    private func forEachPackedPart(
        of id: Int64, hour: Int64, _ body: (_ minute: Int64, _ value: MinuteValue) -> Void
    ) throws(HistoryFailure) {
        try checkIsWanted()
        guard let packed = try packedHour(hour, of: id) else { return }
        guard let block = try? HourBlock(sealed: packed) else { return noteDamage(hour: hour) }
        for (place, value) in block.minutes.enumerated() {
            if let value { body(hour * HistoryStore.minutesPerHour + Int64(place), value) }
        }
    }

    private func forEachOpenPart(
        of wanted: Set<Int64>, chunk: Int64, hour: Int64, _ body: (_ minute: Int64, _ value: MinuteValue) -> Void
    ) throws(HistoryFailure) {
        for row in try openRows(chunk: chunk, hour: hour) {
            try checkIsWanted()
            do throws(HistoryDamage) {
                try MinuteChunk.forEach(inOpened: row.bytes, chunk: chunk, where: wanted.contains) {
                    body(row.minute, $1)
                }
            } catch {
                throw HistoryFailure(error)
            }
        }
    }
}

/// Rows of minutes that are not packed yet, decoded once for all series that share them.
struct OpenRowCache {
    struct Place: Hashable {
        var chunk: Int64
        var hour: Int64
    }

    typealias Rows = [(minute: Int64, bytes: [UInt8])]

    /// The places that have rows; nil before they are looked up.
    var places: Set<Place>?
    private var rows: [Place: Rows] = [:]
    private var byteCount = 0

    /// The most bytes of cached rows. A row beyond it empties the cache, and the rows are read again.
    private static let byteLimit = 4 << 20

    subscript(place: Place) -> Rows? { rows[place] }

    mutating func keep(_ found: Rows, at place: Place) {
        let count = found.reduce(0) { $0 + $1.bytes.count }
        if byteCount + count > Self.byteLimit { (rows, byteCount) = ([:], 0) }
        rows[place] = found
        byteCount += count
    }
}
