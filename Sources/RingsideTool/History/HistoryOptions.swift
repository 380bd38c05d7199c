internal import Arguments
internal import Glibc
internal import History
internal import Series

struct HistoryOptions: Sendable {
    var collector = CollectorChoice()
    var file: String?
    var stateDirectory: String?
    var metric: String?
    var bot: String?
    var labels: [LabelOperand] = []
    var from: String?
    var to: String?
    var step: String?
    var isMerged = false
    var format = HistoryFormat.table
    var backup: String?
    var isOpenMetrics = false
    var compared: TimeRanges?
    var label: String?
    var comparedWith: TimeRange?
}

enum HistoryFormat: String, CaseIterable, Sendable {
    case table
    case json
    case csv
}

/// `NAME=VALUE`
struct LabelOperand: Sendable {
    let name: String
    let value: String

    var label: Label { Label(name, value) }

    static let reader = ValueReader<LabelOperand>(expecting: "NAME=VALUE", show: { "\($0.name)=\($0.value)" }) { text in
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
        return LabelOperand(name: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
    }
}

/// The time of `--compare`, or both in one argument: one that begins with `-` is no operand.
struct TimeRanges: Sendable {
    let first: TimeRange
    let second: TimeRange?

    static let reader = ValueReader<TimeRanges>(
        expecting: "FROM..TO or 'FROM..TO FROM..TO', each time \(HistoryTime.expectation)"
    ) { text in
        let parts = text.split(separator: " ").map { TimeRange.parse(String($0)) }
        guard (1...2).contains(parts.count), let first = parts[0] else { return nil }
        guard parts.count == 2 else { return TimeRanges(first: first, second: nil) }
        return parts[1].map { TimeRanges(first: first, second: $0) }
    }
}

/// `FROM..TO`, each as ``HistoryTime`` reads it.
struct TimeRange: Sendable {
    let text: String
    let from: Double
    let to: Double

    static let reader = ValueReader<TimeRange>(
        expecting: "FROM..TO, each time \(HistoryTime.expectation)", show: \.text, read: parse)

    static func parse(_ text: String) -> TimeRange? {
        let now = Double(time(nil))
        // The separator is the first `..` with something on both sides.
        guard let dots = text.firstRange(of: ".."),
            let from = HistoryTime.seconds(String(text[..<dots.lowerBound]), now: now),
            let to = HistoryTime.seconds(String(text[dots.upperBound...]), now: now), from < to
        else { return nil }
        return TimeRange(text: text, from: from, to: to)
    }
}

extension HistoryOptions {
    /// The file that is read; nil where a collector is asked.
    func path() throws(HistoryUsageError) -> String? {
        switch (file, stateDirectory, collector.address ?? collector.file) {
        case (let file?, nil, nil): return file
        case (nil, let directory?, nil): return "\(directory)/history.db"
        case (nil, nil, _): return nil
        default: throw HistoryUsageError("--file, --state-dir and --collector exclude each other; give one")
        }
    }

    /// The minutes of `--from` and `--to`.
    func minutes(default range: ClosedRange<Int64>?) throws -> Range<Int64> {
        let now = Double(time(nil))
        func moment(_ name: String, _ text: String?) throws -> Double? {
            guard let text else { return nil }
            guard let seconds = HistoryTime.seconds(text, now: now) else {
                throw HistoryUsageError("--\(name) is '\(text)': expected \(HistoryTime.expectation)")
            }
            return seconds
        }
        let first = try moment("from", from) ?? range.map { Double($0.lowerBound * 60) } ?? now - 3600
        let last = try moment("to", to) ?? range.map { Double(($0.upperBound + 1) * 60) } ?? now
        return try HistoryQuery.minutes(from: first, to: last)
    }
}

/// What cannot be done together, or is missing.
struct HistoryUsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
