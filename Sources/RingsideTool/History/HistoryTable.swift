internal import Arguments
internal import FoundationEssentials

/// The answer of `/stats/history`, as far as the tool shows it.
struct HistoryView: Decodable {
    struct Series: Decodable {
        let bot: String?
        let labels: [String: String]
        let lane: String
        let kind: String
        let unit: String
        let points: [Point]
    }

    /// Members of other kinds, and those without a value, are nil.
    struct Point: Decodable {
        let time: Int64
        let calls, count: UInt64?
        let increase, rate, sum, min, max, last, p50, p95, p99, p999: Double?
        let lost: UInt64
        let complete: Bool

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CollectorKey.self)
            (time, lost, complete) = (
                try members.value("time"), try members.value("lost"), try members.value("complete")
            )
            (calls, count) = (try members.optional("calls"), try members.optional("count"))
            (increase, rate, sum) = (
                try members.number("increase"), try members.number("rate"), try members.number("sum")
            )
            (min, max, last) = (try members.number("min"), try members.number("max"), try members.number("last"))
            (p50, p95) = (try members.number("p50"), try members.number("p95"))
            (p99, p999) = (try members.number("p99"), try members.number("p999"))
        }
    }

    let metric: String
    let series: [Series]

    init(json: [UInt8]) throws {
        do {
            self = try JSONDecoder().decode(HistoryView.self, from: Data(json))
        } catch {
            throw CollectorError(description: "what answered is no history: \(error)")
        }
    }
}

/// A history's answer as a table, one line for each step, or as CSV (RFC 4180).
struct HistoryTable {
    private let view: HistoryView

    init(_ view: HistoryView) { self.view = view }

    /// Returns a time in UTC, to the minute: `2026-01-31T12:00Z`.
    static func time(_ unixSeconds: Int64) -> String {
        Figures.time(unixNanoseconds: unixSeconds * 1_000_000_000).prefix(16) + "Z"
    }

    func rendered() -> String {
        guard !view.series.isEmpty else { return Self.nothing(of: view.metric) }
        return view.series.map { "\(heading($0))\n" + table($0).rendered() }.joined(separator: "\n")
    }

    static func nothing(of metric: String) -> String { "no minute of \(metric.printable) in this range\n" }

    private func heading(_ series: HistoryView.Series) -> String {
        let labels = series.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.debugDescription)" }
        let lane = series.lane.isEmpty ? [] : ["lane=\(series.lane.debugDescription)"]
        let all = ["bot=\((series.bot ?? "*").debugDescription)"] + lane + labels
        return "\(view.metric){\(all.joined(separator: ","))}".printable
    }

    private func table(_ series: HistoryView.Series) -> Table {
        func value(_ number: Double?) -> String { Figures.value(number, unit: series.unit) }
        func rate(_ number: Double?) -> String { number.map { Figures.rate($0) } ?? "-" }
        var table: Table
        switch series.kind {
        case "histogram":
            table = Table(
                [.text("TIME")]
                    + ["P50", "P95", "P99", "P99.9", "MAX", "MIN", "VALUES", "PER S", "LOST RECORDS"].map {
                        .number($0)
                    }
                    + [.text("COMPLETE")])
            for point in series.points {
                let numbers = [point.p50, point.p95, point.p99, point.p999, point.max, point.min].map(value)
                table.append(
                    [Self.time(point.time)] + numbers + ["\(point.count ?? 0)", rate(point.rate)] + end(point))
            }
        case "counter":
            table = Table(
                [.text("TIME")] + ["INCREASE", "PER S", "LOST RECORDS"].map { .number($0) } + [.text("COMPLETE")])
            for point in series.points {
                table.append(
                    [Self.time(point.time), value(point.increase), rate(point.rate)] + end(point))
            }
        default:
            table = Table(
                [.text("TIME")] + ["MIN", "MAX", "LAST", "LOST RECORDS"].map { .number($0) } + [.text("COMPLETE")])
            for point in series.points {
                table.append([Self.time(point.time)] + [point.min, point.max, point.last].map(value) + end(point))
            }
        }
        return table
    }

    private func end(_ point: HistoryView.Point) -> [String] { ["\(point.lost)", point.complete ? "yes" : "no"] }

    static let csvHead =
        "time,metric,bot,lane,labels,calls,count,increase,rate,sum,min,max,last,p50,p95,p99,p999,lost,complete\n"

    /// Returns one line for each step of each series, without the header. Labels are `name=value`, separated by blanks.
    func csv() -> String {
        let lines = view.series.flatMap { series in
            let labels = series.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return series.points.map { point in
                let texts = [view.metric, series.bot ?? "", series.lane, labels.joined(separator: " ")]
                let numbers = [
                    point.increase, point.rate, point.sum, point.min, point.max, point.last, point.p50, point.p95,
                    point.p99, point.p999,
                ]
                let cells =
                    ["\(point.time)"] + texts.map(Self.quoted)
                    + [point.calls, point.count].map { $0.map { "\($0)" } ?? "" }
                    + numbers.map { $0.map { $0.isFinite ? "\($0)" : $0.nonFiniteText } ?? "" } + [
                        "\(point.lost)", "\(point.complete)",
                    ]
                return cells.joined(separator: ",")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func quoted(_ text: String) -> String {
        // Compares bytes: as characters, a quote merges with a combining mark after it, and CR with LF.
        let special = Array(",\"\r\n".utf8)
        guard text.utf8.contains(where: special.contains) else { return text }
        let quote = UInt8(ascii: "\"")
        let bytes = text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return "\"" + String(decoding: bytes, as: UTF8.self) + "\""
    }
}
