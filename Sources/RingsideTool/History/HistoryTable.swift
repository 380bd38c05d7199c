internal import Arguments

/// What `/stats/history` says, as much of it as the tool shows.
struct HistoryView: Decodable {
    struct Series: Decodable {
        let bot: String?
        let labels: [String: String]
        let lane: String
        let kind: String
        let unit: String
        let points: [Point]
    }

    /// What is not of the series' kind, or has no value, is nil.
    struct Point: Decodable {
        let time: Int64
        let calls, count: UInt64?
        let increase, rate, sum, min, max, last, p50, p95, p99, p999: Double?
        let lost: UInt64
        let complete: Bool
    }

    let metric: String
    let series: [Series]
}

/// A history's answer as a table, a line a step, or as CSV (RFC 4180).
struct HistoryTable {
    private let view: HistoryView

    init(_ view: HistoryView) { self.view = view }

    /// In UTC, to the minute: `2026-01-31T12:00Z`.
    static func time(_ unixSeconds: Int64) -> String {
        Figures.time(unixNanoseconds: unixSeconds * 1_000_000_000).prefix(16) + "Z"
    }

    func rendered() -> String {
        guard !view.series.isEmpty else { return "no minute of \(view.metric) in this range\n" }
        return view.series.map { "\(heading($0))\n" + table($0).rendered() }.joined(separator: "\n")
    }

    private func heading(_ series: HistoryView.Series) -> String {
        let labels = series.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.debugDescription)" }
        let lane = series.lane.isEmpty ? [] : ["lane=\(series.lane.debugDescription)"]
        let all = ["bot=\((series.bot ?? "*").debugDescription)"] + lane + labels
        return "\(view.metric){\(all.joined(separator: ","))}".printable
    }

    private func table(_ series: HistoryView.Series) -> Table {
        let isTime = series.unit == "seconds"
        func value(_ number: Double?) -> String {
            number.map { isTime ? Figures.duration(seconds: $0) : Figures.real($0) } ?? "-"
        }
        func rate(_ number: Double?) -> String { number.map { Figures.rate($0) } ?? "-" }
        var table: Table
        switch series.kind {
        case "histogram":
            table = Table(
                [.text("TIME")]
                    + ["COUNT", "RATE", "P50", "P95", "P99", "P99.9", "MIN", "MAX", "LOST"].map { .number($0) }
                    + [.text("COMPLETE")])
            for point in series.points {
                let numbers = [point.p50, point.p95, point.p99, point.p999, point.min, point.max].map(value)
                table.append(
                    [Self.time(point.time), "\(point.count ?? 0)", rate(point.rate)] + numbers + end(point))
            }
        case "counter":
            table = Table([.text("TIME"), .number("INCREASE"), .number("RATE"), .number("LOST"), .text("COMPLETE")])
            for point in series.points {
                table.append(
                    [Self.time(point.time), point.increase.map { Figures.real($0) } ?? "-", rate(point.rate)]
                        + end(point))
            }
        default:
            table = Table(
                [.text("TIME")] + ["MIN", "MAX", "LAST", "LOST"].map { .number($0) } + [.text("COMPLETE")])
            for point in series.points {
                table.append([Self.time(point.time)] + [point.min, point.max, point.last].map(value) + end(point))
            }
        }
        return table
    }

    private func end(_ point: HistoryView.Point) -> [String] { ["\(point.lost)", point.complete ? "yes" : "no"] }

    /// One line a step of each series; labels as `name=value` with blanks between.
    func csv() -> String {
        let head =
            "time,metric,bot,lane,labels,calls,count,increase,rate,sum,min,max,last,p50,p95,p99,p999,lost,complete"
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
                    + numbers.map { $0.map { "\($0)" } ?? "" } + ["\(point.lost)", "\(point.complete)"]
                return cells.joined(separator: ",")
            }
        }
        return ([head] + lines).map { $0 + "\n" }.joined()
    }

    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
