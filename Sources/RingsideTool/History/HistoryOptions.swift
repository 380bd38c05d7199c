internal import Arguments
internal import History
internal import Platform
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
    var hasMean = false
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

/// The time of `--compare`, or both times in one argument. One argument is for a first time that begins with `-`, which
/// would be taken for an option.
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

/// `FROM..TO`, each in a form of ``HistoryTime``.
struct TimeRange: Sendable {
    let text: String
    let from: Double
    let to: Double

    static let reader = ValueReader<TimeRange>(
        expecting: "FROM..TO, each time \(HistoryTime.expectation)", show: \.text, read: parse)

    static func parse(_ text: String) -> TimeRange? {
        let now = TimeSource.system.unixSeconds
        // The separator is the first `..` with text on both sides.
        guard let dots = text.firstRange(of: ".."),
            let from = HistoryTime.seconds(String(text[..<dots.lowerBound]), now: now),
            let to = HistoryTime.seconds(String(text[dots.upperBound...]), now: now), from < to
        else { return nil }
        return TimeRange(text: text, from: from, to: to)
    }
}

extension HistoryOptions {
    static let timeReader = ValueReader<String>(expecting: HistoryTime.expectation) { text in
        HistoryTime.seconds(text, now: TimeSource.system.unixSeconds).map { _ in text }
    }

    static let stepReader = ValueReader<String>(expecting: HistoryQuery.stepExpectation) { text in
        (try? HistoryQuery.minutes(ofStep: text)).map { _ in text }
    }

    /// The file to read; nil if a collector is queried.
    var path: String? { file ?? stateDirectory.map { "\($0)/history.db" } }

    /// Options that replace showing a metric or the list.
    private var tasks: [String] {
        [
            ("--backup", backup != nil), ("--openmetrics", isOpenMetrics), ("--compare", compared != nil),
            ("--by", label != nil),
        ].filter(\.1).map(\.0)
    }

    /// The contradiction between the options; nil for none.
    var conflict: String? {
        if let conflict = collector.conflict { return conflict }
        let sources = [file != nil, stateDirectory != nil, collector.isGiven]
        if sources.count(where: { $0 }) > 1 {
            return "--file, --state-dir and --collector exclude each other; give one"
        }
        if tasks.count > 1 { return "\(tasks[0]) and \(tasks[1]) exclude each other" }
        if let task = tasks.first, path == nil { return "\(task) needs the file: give --state-dir or --file" }
        if compared == nil, comparedWith != nil { return "FROM..TO is the later time of --compare, which is missing" }
        if let compared, (compared.second == nil) == (comparedWith == nil) {
            return "--compare needs two times: --compare FROM..TO FROM..TO"
        }
        if format == .csv, metric == nil || compared != nil || label != nil {
            return "--format csv is for a --metric; choose table or json"
        }
        return tasks.isEmpty ? queryConflict : nil
    }

    private var queryConflict: String? {
        guard let metric else { return nil }
        do {
            _ = try query(metric)
            return nil
        } catch {
            return "--from, --to and --step do not go together: \(error)"
        }
    }

    /// Returns the query for a metric.
    func query(_ metric: String) throws(HistoryQueryError) -> HistoryQuery {
        let minutes = try minutes(default: nil)
        return try HistoryQuery(
            metric: metric, bot: bot, labels: labels.map(\.label), from: Double(minutes.lowerBound * 60),
            to: Double(minutes.upperBound * 60), step: step, isMerged: isMerged)
    }

    /// The query for the list of series.
    var listQuery: HistoryListQuery { HistoryListQuery(bot: bot, labels: labels.map(\.label)) }

    /// Returns the minutes of `--from` and `--to`.
    func minutes(default range: ClosedRange<Int64>?) throws(HistoryQueryError) -> Range<Int64> {
        let now = TimeSource.system.unixSeconds
        let first = from.flatMap { HistoryTime.seconds($0, now: now) } ?? range.map { Double($0.lowerBound * 60) }
        let last = to.flatMap { HistoryTime.seconds($0, now: now) } ?? range.map { Double(($0.upperBound + 1) * 60) }
        return try HistoryQuery.minutes(from: first ?? now - 3600, to: last ?? now)
    }
}
