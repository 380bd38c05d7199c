internal import Arguments
internal import Exposition
internal import Glibc
internal import Platform
internal import RingReader

/// Writes a whole CSV file as OpenMetrics with the source's times, for `promtool tsdb create-blocks-from openmetrics`.
///
/// A family's samples must be together, so the file is read once for each column. So the memory does not grow with the
/// file. Counters continue over restarts of the source, as they do in a ring. Prometheus keeps milliseconds: of several
/// rows in one millisecond the last counts, and a row that is not later than the previous one is left out.
struct OpenMetricsExport {
    struct Summary: Equatable {
        var rows: UInt64 = 0
        var badLines: UInt64 = 0
        /// The number of rows that are not later than the previous one.
        var rowsOutOfOrder: UInt64 = 0
    }

    let file: SourceFile
    let mapping: ImportMapping
    let ring: RingName

    private static let batchBytes = 1 << 16

    /// - Parameters:
    ///   - progress: Receives how many bytes of the file are done. Each reading of the file is a part of them.
    ///   - output: Receives the bytes as they are made.
    func write(progress: (UInt64) -> Void = { _ in }, to output: ([UInt8]) throws -> Void) throws -> Summary {
        var summary = Summary()
        var log = BadLineLog()
        let names = mapping.rules.map(\.name)
        let (size, readings) = (Double(file.bytes), Double(mapping.rules.count { $0.form != .samples }))
        var finished = 0.0
        for (index, rule) in mapping.rules.enumerated() where rule.form != .samples {
            // Series of one name are one family.
            guard names.firstIndex(of: rule.name) == index else { continue }
            try output(header(of: rule))
            for (other, series) in mapping.rules.enumerated() where series.name == rule.name {
                let isFirst = summary.rows == 0 && summary.badLines == 0
                var pass = Pass(rule: series, index: other, labels: labels(of: series))
                try read(&pass, output) { offset in
                    progress(UInt64(min(size, (finished * size + Double(offset)) / readings)))
                } refuse: { problem, line in
                    let now = UInt64(bitPattern: monotonicNow())
                    if isFirst { log.note(problem, file: file.path, line: line, now: now) }
                }
                finished += 1
                if isFirst { summary = pass.summary }
            }
        }
        log.flush()
        try output(Array("# EOF\n".utf8))
        return summary
    }

    private func read(
        _ pass: inout Pass, _ output: ([UInt8]) throws -> Void, progress: (UInt64) -> Void,
        refuse: (LineProblem, UInt64) -> Void
    ) throws {
        let lines = LineSplitter()
        var rows: RowReader?
        func take(_ line: LineSplitter.Line) throws {
            guard case .whole(let bytes) = line else {
                pass.summary.badLines += 1
                if case .overlong(let count) = line { refuse(.overlong(bytes: count), lines.lineNumber) }
                return
            }
            guard !bytes.isEmpty else { return }
            guard let rows else {
                do throws(HeaderError) {
                    rows = try RowReader(
                        header: HeaderError.names(in: bytes, delimiter: mapping.delimiter), mapping: mapping)
                } catch {
                    throw FileError("\(file.path.printable):\(lines.lineNumber): \(error)")
                }
                return
            }
            if let problem = rows.read(bytes) {
                pass.summary.badLines += 1
                return refuse(problem, lines.lineNumber)
            }
            pass.take(rows)
        }
        while try lines.fill({ try file.read(into: $0, at: lines.readOffset) }) > 0 {
            while let line = lines.next() { try take(line) }
            progress(lines.readOffset)
            if pass.bytes.count >= Self.batchBytes { try output(pass.takeBytes()) }
        }
        if let line = lines.takeUnended() { try take(line) }
        pass.finish()
        try output(pass.takeBytes())
    }

    private func header(of rule: ColumnRule) -> [UInt8] {
        let family = rule.isCounter ? String(rule.name.dropLast("_total".count)) : rule.name
        var bytes = Array("# TYPE \(family) \(rule.isCounter ? "counter" : "gauge")\n".utf8)
        if rule.unit != .none { bytes.append("# UNIT \(family) \(rule.unit.rawValue)\n") }
        bytes.append("# HELP \(family) \(escaped(rule.help))\n")
        return bytes
    }

    private func labels(of rule: ColumnRule) -> String {
        // The labels are those that the collector sets: counters are summed over the lanes of a bot, gauges are not.
        var labels = [("bot", ring.bot)]
        if !rule.isCounter, !ring.lane.isEmpty { labels.append(("lane", ring.lane)) }
        labels += rule.labels.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return "{" + labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",") + "}"
    }

    private func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\"": text += "\\\""
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// One pass over the file, for one series.
private struct Pass {
    let rule: ColumnRule
    let index: Int
    let labels: String
    var summary = OpenMetricsExport.Summary()
    private(set) var bytes: [UInt8] = []
    private var whole = SourceTotal<UInt64>()
    private var real = SourceTotal<Double>()
    private var total: UInt64 = 0
    private var realTotal = 0.0
    /// The last row's value, which is not written yet, because the next row may have the same millisecond.
    private var waiting: (milliseconds: Int64, value: [UInt8])?

    init(rule: ColumnRule, index: Int, labels: String) {
        (self.rule, self.index, self.labels) = (rule, index, labels)
    }

    mutating func take(_ row: RowReader) {
        summary.rows += 1
        let value = row.values[index]
        var text: [UInt8] = []
        switch (rule.form, rule.isFractional) {
        case (.cumulative, false): total &+= whole.advance(to: value.whole).increase
        case (.cumulative, true): realTotal += real.advance(to: value.real).increase
        case (.increments, false): total &+= value.whole
        case (.increments, true): realTotal += value.real
        default: guard value.isPresent else { return }
        }
        if rule.isCounter && !rule.isFractional {
            text.append(decimal: total)
        } else {
            text.append((rule.isCounter ? realTotal : value.real).description)
        }
        let milliseconds = row.timeNanoseconds / 1_000_000
        guard let last = waiting?.milliseconds, milliseconds != last else {
            waiting = (milliseconds, text)
            return
        }
        guard milliseconds > last else {
            summary.rowsOutOfOrder += 1
            return
        }
        finish()
        waiting = (milliseconds, text)
    }

    /// Writes the value that waits.
    mutating func finish() {
        guard let (milliseconds, value) = waiting else { return }
        waiting = nil
        bytes.append("\(rule.name)\(labels) ")
        bytes += value
        let fraction = String(milliseconds.magnitude % 1000 + 1000).dropFirst()
        bytes.append(" \(milliseconds < 0 ? "-" : "")\(milliseconds.magnitude / 1000).\(fraction)\n")
    }

    mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }
}
