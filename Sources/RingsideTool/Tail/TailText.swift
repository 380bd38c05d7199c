internal import Arguments
internal import RingReader

/// A tail for people: local time, ring, series, value, and marks of unusual records. Columns widen with their content,
/// up to a limit, so that lines stay aligned.
struct TailText: TailWriter {
    private static let widestColumn = 60
    private static let timeWidth = Figures.localTime(unixNanoseconds: 0).count

    private var ringWidth = 0
    private var seriesWidth = 40
    private var valueWidth = 12

    mutating func write(
        _ event: TailEvent, of ring: RingName, showsRing: Bool, to output: inout [UInt8]
    ) -> String? {
        switch event {
        case .loss(let count, let reason): return Self.word(count, reason)
        case .record(let read):
            var line = Self.padded(Self.time(of: read), to: Self.timeWidth)
            if showsRing { line += "  " + column("\(ring)", \.ringWidth) }
            line += "  " + column(read.series, \.seriesWidth)
            let value = read.valueText
            valueWidth = min(max(valueWidth, value.count), Self.widestColumn)
            line += "  " + String(repeating: " ", count: max(0, valueWidth - value.count)) + value
            for mark in Self.marks(of: read) { line += "  " + mark }
            output += line.utf8
            output.append(UInt8(ascii: "\n"))
            return nil
        }
    }

    private static func time(of read: RecordContext.Explained) -> String {
        if let time = read.unixNanoseconds { return Figures.localTime(unixNanoseconds: time) }
        return read.record.timeTicks.map { "\($0) ticks" } ?? "-"
    }

    private static func marks(of read: RecordContext.Explained) -> [String] {
        let traces = read.trace.map { ["trace \($0.text)"] + $0.places } ?? []
        return (read.record.weight == 1 ? [] : ["x\(read.record.weight)"]) + read.record.marks + traces
    }

    private static func word(_ count: UInt64, _ reason: TailEvent.LossReason) -> String {
        let records = count == 1 ? "1 record" : "\(count) records"
        switch reason {
        case .lapped: return "\(records) lost: overwritten before they could be read"
        case .corrupt: return "\(records) lost: damaged; 'ringside dump' says how"
        case .unknownMetric: return "\(records) lost: of metrics that the ring does not have"
        }
    }

    private mutating func column(_ text: String, _ width: WritableKeyPath<TailText, Int>) -> String {
        self[keyPath: width] = min(max(self[keyPath: width], text.count), Self.widestColumn)
        return Self.padded(text, to: self[keyPath: width])
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
