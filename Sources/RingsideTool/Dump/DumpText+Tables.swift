internal import Arguments
internal import RingReader

/// The parts with many entries: lives, metrics, records.
extension DumpText {
    func lives() -> String {
        guard !dump.lives.isEmpty else { return "" }
        var table = Table([
            .number("  LIFE"), .number("FIRST POSITION"), .text("BEGAN"), .number("PID"), .text("COMMAND"),
            .text("CLOCK"),
            .number("TICKS/S"), .text("FROM"),
        ])
        for entry in dump.lives {
            let life = entry.life
            table.append([
                "\(life.number)", "\(life.firstPosition)",
                Figures.time(unixNanoseconds: Int64(clamping: life.anchorUnixNanoseconds)), "\(life.pid)",
                life.command.printable, life.clock.name, entry.clock.map { Figures.rate($0.ticksPerSecond) } ?? "-",
                entry.clock?.source.rawValue ?? "unknown",
            ])
        }
        return title("LIVES") + table.rendered(width: width) + dump.lives.map(details).joined()
    }

    private func details(_ entry: RecordContext.ClockedLife) -> String {
        let labels = entry.life.labels.isEmpty ? "none" : entry.life.labels.list
        let costs = zip(
            ["counter", "gauge", "value", "timed value or lap", "span", "clock"], entry.life.callCostPicoseconds
        )
        .map { "\($0) \(Figures.fixed(Double($1) / 1000, decimals: 1))" }
        return "  \(entry.life.number): labels \(labels)\n  \(entry.life.number): ns a call: "
            + costs.joined(separator: ", ") + "\n"
            + (entry.life.tracePrefix == 0
                ? "" : "  \(entry.life.number): trace prefix \(Figures.hexadecimal(entry.life.tracePrefix))\n")
    }

    func metrics() -> String {
        guard !dump.metrics.isEmpty else { return title("METRICS", "none registered") }
        var table = Table([
            .number("  ID"), .text("KIND"), .text("UNIT"), .number("LIFE"), .text("CONTROL"), .number("VALUE"),
            .text(""),
        ])
        for entry in dump.metrics { table.append(cells(of: entry)) }
        return title("METRICS") + named(table, "NAME", dump.metrics.map { $0.metric?.series ?? "-" })
    }

    private func cells(of entry: RingDump.MetricEntry) -> [String] {
        let control = entry.control.map { "\(Sampling($0))" } ?? "-"
        guard let metric = entry.metric else {
            return ["\(entry.id)", "undecodable", "-", "-", control, "-"]
        }
        let (value, beside) = entry.cell.map(texts) ?? ("-", "")
        let unit = metric.unit == .none ? "-" : metric.unit.name
        return [
            "\(entry.id)", metric.kind == .upDownCounter ? "up-down" : metric.kind.name, unit, "\(metric.life)",
            control,
            value, beside,
        ]
    }

    private func texts(_ cell: CellValue) -> (value: String, beside: String) {
        switch cell {
        case .counter(let total): (total.text, "")
        case .upDownCounter(let value, let highest): (value.text, "max \(highest.text)")
        case .gauge(let value?, let highest): (value.text, "max \(highest?.text ?? "unset")")
        case .gauge(nil, _): ("unset", "")
        case .histogram(let calls, let abandoned): ("\(calls)", "calls, \(abandoned) abandoned")
        }
    }

    func records() -> String {
        guard dump.producer != nil else { return "" }
        let remark = "last \(dump.records.count) of \(dump.heldRecords) held, ring of \(dump.capacity)"
        guard !dump.records.isEmpty else { return title("RECORDS", remark) }
        let read = dump.records.map { try? $0.content.get() }
        let hasTraces = read.contains { $0?.trace != nil }
        let hasMarks = read.contains { !($0?.marks ?? []).isEmpty }
        var table = Table(
            [.number("  SEQUENCE"), .text("TIME"), .number("VALUE"), .number("WEIGHT")]
                + (hasMarks ? [.text("MARKS")] : []) + (hasTraces ? [.text("TRACE ID")] : []))
        for (entry, read) in zip(dump.records, read) {
            table.append(
                ["\(entry.index)"] + (read.map(cells) ?? ["undecodable, see DAMAGE", "-", "-"])
                    + (hasMarks ? [(read?.marks ?? []).joined(separator: ", ")] : [])
                    + (hasTraces ? [read?.trace?.text ?? "-"] : []))
        }
        return title("RECORDS", remark) + named(table, "METRIC", read.map { $0?.series ?? "-" })
    }

    private func cells(of read: RecordContext.Explained) -> [String] {
        let time = read.unixNanoseconds.map { Figures.time(unixNanoseconds: $0) }
        return [
            time ?? read.record.timeTicks.map { "\($0) ticks" } ?? "-", read.valueText,
            read.record.kind.isMeasurement ? "\(read.record.weight)" : "-",
        ]
    }

    /// Returns a table whose last column has names. They are never cut, since names that differ only in their last
    /// label must not become the same text. If one does not fit, each gets a line of its own.
    private func named(_ table: Table, _ heading: String, _ names: [String]) -> String {
        let lines = table.rendered(width: nil).split(separator: "\n").map(String.init)
        let names = [heading] + names
        let column = (lines.map(\.count).max() ?? 0) + 2
        let isBeside = width.map { width in names.allSatisfy { column + $0.count <= width } } ?? true
        return zip(lines, names).map { line, name in
            let gap = isBeside ? String(repeating: " ", count: column - line.count) : "\n      "
            return line + gap + name + "\n"
        }.joined()
    }
}
