internal import Arguments
internal import Exposition
internal import History
internal import JSON
internal import Platform
internal import Series

/// `ringside history --compare` and `--by`.
struct HistoryCompareCommand {
    private let reader: HistoryReader
    private let options: HistoryOptions

    init(_ reader: HistoryReader, _ options: HistoryOptions) {
        self.reader = reader
        self.options = options
    }

    func run() throws -> Int32 {
        let (before, after, names) = try sides()
        let line = ProgressLine("ringside history", .things("series"))
        let comparison = try reader.atOneMoment { () throws(HistoryFailure) in
            try reader.compare(
                before, after, metric: options.metric, bot: options.bot, labels: options.labels.map(\.label)
            ) { line.show(UInt64($0), of: UInt64($1)) }
        }
        switch options.format {
        case .table: try Terminal.output(table(comparison, names))
        case .json: try Terminal.output(json: json(comparison, names))
        case .csv: break  // `HistoryOptions.conflict` has refused it.
        }
        return 0
    }

    private typealias Choice = HistoryComparison.Choice

    private func sides() throws -> (Choice, Choice, (before: String, after: String)) {
        if let label = options.label {
            let values = try reader.values(ofLabel: label, bot: options.bot)
            guard values.count >= 2 else {
                throw FileError(
                    "the label \(label) has \(values.isEmpty ? "no value" : "the value '\(values[0])' alone"): expected two to compare"
                )
            }
            let minutes = try options.minutes(default: try reader.minutes())
            let (a, b) = (values[values.count - 2], values[values.count - 1])
            return (
                Choice(minutes: minutes, label: Label(label, a)), Choice(minutes: minutes, label: Label(label, b)),
                ("\(label)=\(a)", "\(label)=\(b)")
            )
        }
        guard let first = options.compared?.first, let second = options.compared?.second ?? options.comparedWith else {
            throw FileError("--compare needs two times")
        }
        return (
            Choice(minutes: try HistoryQuery.minutes(from: first.from, to: first.to)),
            Choice(minutes: try HistoryQuery.minutes(from: second.from, to: second.to)), (first.text, second.text)
        )
    }

    // MARK: Table

    private func table(_ comparison: HistoryComparison, _ names: (before: String, after: String)) -> String {
        guard !comparison.rows.isEmpty else { return "no histogram has a value on either side\n" }
        var table = Table(
            [.text("BOT"), .text("INSTRUMENT"), .text("WHAT")]
                + ["A", "B", "B-A", "95% FROM", "95% TO"].map { .number($0) } + [.text("")])
        for row in comparison.rows { for line in lines(row) { table.append(line) } }
        return "A: \(names.before)".printable + "\n" + "B: \(names.after)".printable + "\n" + table.rendered()
    }

    private func lines(_ row: HistoryComparison.Row) -> [[String]] {
        func value(_ number: Double) -> String { Figures.value(number, unit: row.unit.rawValue) }
        let labels = row.labels.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
        let name = (row.name + (labels.isEmpty ? "" : "{\(labels)}")).printable
        let (a, b) = (row.before, row.after)
        var lines: [[String]] = []
        for (quantile, difference) in zip(["p50", "p99", "p99.9"], row.differences) {
            guard let difference else { continue }
            let interval = difference.interval
            lines.append([
                quantile, value(difference.before.value), value(difference.after.value), value(difference.value),
                interval.map { value($0.lowerBound) } ?? "-", interval.map { value($0.upperBound) } ?? "-",
                difference.isSignificant ? "*" : "",
            ])
        }
        if let meanA = a.mean, let meanB = b.mean, options.hasMean {
            lines.append(["mean", value(meanA), value(meanB), value(meanB - meanA)])
        }
        if let saved = row.saved { lines.append(["saved", "", "", value(saved)]) }
        lines.append([
            "values", "\(a.count)", "\(b.count)", "\(Int64(clamping: b.count) - Int64(clamping: a.count))",
        ])
        if a.records != a.count || b.records != b.count {
            // The counts that the intervals are based on.
            lines.append(["records"] + [a, b].map { $0.records.map { "\($0)" } ?? "unknown" })
        }
        if a.lost + b.lost > 0 { lines.append(["lost records", "\(a.lost)", "\(b.lost)"]) }
        return lines.enumerated().map { ($0 == 0 ? [row.bot.printable, name] : ["", ""]) + $1 }
    }

    // MARK: JSON

    private func json(_ comparison: HistoryComparison, _ names: (before: String, after: String)) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.key("a")
            $0.string(names.before)
            $0.key("b")
            $0.string(names.after)
            $0.number("confidence", 0.95)
            $0.key("instruments")
            $0.array { for row in comparison.rows { $0.comparison(row) } }
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func comparison(_ row: HistoryComparison.Row) {
        object {
            $0.key("bot")
            $0.string(row.bot)
            $0.key("metric")
            $0.string(row.name)
            $0.key("labels")
            $0.object { json in
                for label in row.labels {
                    json.key(label.name)
                    json.string(label.value)
                }
            }
            $0.key("unit")
            $0.string(row.unit.rawValue)
            $0.side("a", row.before)
            $0.side("b", row.after)
            for (quantile, difference) in zip(HistoryComparison.quantiles, row.differences) {
                $0.key(LatestJSON.key(ofQuantile: quantile))
                if let difference { $0.difference(difference) } else { $0.null() }
            }
            $0.number("saved", row.saved)
        }
    }

    private mutating func side(_ name: String, _ side: HistoryComparison.Side) {
        key(name)
        object {
            $0.key("count")
            $0.integer(side.count)
            $0.key("records")
            if let records = side.records { $0.integer(records) } else { $0.null() }
            $0.number("sum", side.sum)
            $0.number("mean", side.mean)
            $0.key("lost")
            $0.integer(side.lost)
        }
    }

    private mutating func difference(_ difference: QuantileDifference) {
        object {
            for (name, side) in [("a", difference.before), ("b", difference.after)] {
                $0.key(name)
                $0.object {
                    $0.number("value", side.value)
                    $0.number("low", side.lower)
                    $0.number("high", side.upper)
                }
            }
            $0.number("difference", difference.value)
            $0.number("low", difference.interval?.lowerBound)
            $0.number("high", difference.interval?.upperBound)
        }
    }
}
