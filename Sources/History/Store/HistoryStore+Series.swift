internal import SQLite
internal import Series

/// A series with its number in the store.
package struct StoredSeries: Equatable, Sendable {
    package var id: Int64
    package var key: HistorySeriesKey
    package var help: String
    /// The last minute in which it was written, counted since the Unix epoch.
    package var seen: Int64
}

extension Database {
    /// Returns all series; a thousand take milliseconds.
    func allSeries() throws(HistoryFailure) -> [StoredSeries] {
        var all: [StoredSeries] = []
        try forEachSeries { series throws(HistoryFailure) in all.append(series) }
        return all
    }

    /// Calls `body` with each series, by number.
    ///
    /// - Parameter names: of the wanted metrics; nil is all.
    func forEachSeries(
        named names: [String]? = nil, _ body: (StoredSeries) throws(HistoryFailure) -> Void
    ) throws(HistoryFailure) {
        let condition = names.map { "WHERE name IN (\($0.map { _ in "?" }.joined(separator: ", ")))" } ?? ""
        try run(
            "SELECT id, bot, name, labels, bot_labels, lane, kind, unit, help, seen FROM series \(condition) ORDER BY id",
            (names ?? []).map { .text($0) }
        ) { row throws(HistoryFailure) in
            guard let kind = MetricKind(rawValue: row.text(6)), let unit = MetricUnit(rawValue: row.text(7)),
                let labels = LabelText.labels(row.text(3)), let botLabels = LabelText.labels(row.text(4))
            else { throw HistoryFailure(HistoryDamage("a series has an unknown kind or unit, or invalid labels")) }
            let key = HistorySeriesKey(
                bot: row.text(1), botLabels: botLabels, name: row.text(2), labels: labels, lane: row.text(5),
                kind: kind, unit: unit)
            try body(StoredSeries(id: row.integer(0), key: key, help: row.text(8), seen: row.integer(9)))
        }
    }

    func insert(_ series: StoredSeries) throws(HistoryFailure) {
        let key = series.key
        let texts = [
            key.bot, key.name, LabelText.text(key.labels), LabelText.text(key.botLabels), key.lane, key.kind.rawValue,
            key.unit.rawValue, series.help,
        ]
        try run(
            """
            INSERT INTO series(id, bot, name, labels, bot_labels, lane, kind, unit, help, seen) \
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [.integer(series.id)] + texts.map { .text($0) } + [.integer(series.seen)])
    }
}

/// Encodes labels with any contents as one text: each name and value is preceded by its length in bytes (netstrings),
/// `6:symbol4:AAPL`.
enum LabelText {
    static func text(_ labels: [Label]) -> String {
        labels.map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }.joined()
    }

    /// Returns nil if the text is invalid.
    static func labels(_ text: String) -> [Label]? {
        var rest = Array(text.utf8)[...]
        var parts: [String] = []
        while !rest.isEmpty {
            guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
                let length = Int(String(decoding: rest[..<colon], as: UTF8.self)), length >= 0,
                rest.endIndex - colon - 1 >= length
            else { return nil }
            let start = colon + 1
            parts.append(String(decoding: rest[start..<start + length], as: UTF8.self))
            rest = rest[(start + length)...]
        }
        guard parts.count % 2 == 0 else { return nil }
        return stride(from: 0, to: parts.count, by: 2).map { Label(parts[$0], parts[$0 + 1]) }
    }
}
