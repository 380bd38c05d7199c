/// The values of up to 64 series in one minute, as stored until the hour is packed.
///
/// A row per series would cost far more than its value. One row for all series would make a query decode every series
/// to read one.
enum MinuteChunk {
    static let seriesPerChunk: Int64 = 64

    static func number(ofSeries id: Int64) -> Int64 { id / seriesPerChunk }

    /// - Parameter values: of series of one chunk, by id.
    static func sealed(_ values: [(id: Int64, value: MinuteValue)]) -> [UInt8] {
        var writer = PackedWriter()
        for (id, value) in values {
            var one = PackedWriter()
            one.write(value)
            writer.write(UInt64(id % seriesPerChunk))
            writer.write(UInt64(one.bytes.count))
            writer.bytes += one.bytes
        }
        return SealedBytes.seal(writer.bytes, compressing: true)
    }

    /// Calls `body` with each value of the wanted series.
    static func forEach(
        in sealed: [UInt8], chunk: Int64, where isWanted: (Int64) -> Bool,
        _ body: (_ id: Int64, _ value: MinuteValue) -> Void
    ) throws(HistoryDamage) {
        try forEach(inOpened: try SealedBytes.open(sealed), chunk: chunk, where: isWanted, body)
    }

    /// Calls `body` with each value of the wanted series, for bytes that are already opened.
    static func forEach(
        inOpened bytes: [UInt8], chunk: Int64, where isWanted: (Int64) -> Bool,
        _ body: (_ id: Int64, _ value: MinuteValue) -> Void
    ) throws(HistoryDamage) {
        var reader = PackedReader(bytes)
        while !reader.isAtEnd {
            let place = try reader.unsigned()
            guard place < seriesPerChunk else { throw HistoryDamage("a series is in the wrong chunk") }
            let bytes = try reader.slice(count: try reader.count())
            let id = chunk * seriesPerChunk + Int64(place)
            guard isWanted(id) else { continue }
            var one = PackedReader(bytes)
            body(id, try one.value())
        }
    }
}
