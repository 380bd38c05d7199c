internal import Arguments
internal import Exposition
internal import JSON
internal import RingReader

/// The records of a ring as a table for other programs: RFC 4180, with a header line. Written in one pass, in constant
/// memory.
///
/// A field is empty if there is no value: the time of a record without one, the trace id of a record without a trace,
/// the value and unit of an unknown metric. Labels are a JSON object, durations are in seconds. A record without a
/// value, which only describes a trace, has no row. It shows in the trace ids of other records.
struct DumpCSV {
    private static let header = "sequence,time,metric,labels,value,unit,weight,failed,abandoned,trace_id"
    private static let pieceBytes = 1 << 16

    private let segment: Segment
    private var context: RecordContext
    private var piece: [UInt8] = []

    init(_ segment: Segment) {
        self.segment = segment
        context = RecordContext(segment)
    }

    /// Writes the last records, oldest first, to standard output.
    ///
    /// - Returns: The number of records that could not be decoded. They are not in the table.
    mutating func write(last: UInt64) throws -> Int {
        line(Self.header)
        var undecodable = 0
        if segment.geometry.producer.itemCount > 0 {
            let head = segment.position
            let held = head - segment.oldestHeld(head: head)
            // The records are read in steps, so that the output is passed on before it grows.
            var from = head - min(held, last)
            context.lookBack(segment, before: from)
            while from < head {
                let to = from + min(head - from, 256)
                segment.forEachRecord(from: from, to: to) { _, content in
                    guard let record = try? content.get() else { return undecodable += 1 }
                    let read = context.explain(record)
                    if record.kind.isMeasurement { row(read) }
                }
                if piece.count >= Self.pieceBytes { try flush() }
                from = to
            }
        }
        try flush()
        return undecodable
    }

    private mutating func flush() throws(OutputError) {
        try Terminal.output(bytes: piece)
        piece.removeAll(keepingCapacity: true)
    }

    private mutating func line(_ text: String) {
        piece += text.utf8
        piece += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    private mutating func row(_ read: RecordContext.Explained) {
        let record = read.record
        let fields = [
            "\(record.index)", read.unixNanoseconds.map { Figures.time(unixNanoseconds: $0) } ?? "",
            read.metric?.name ?? "",
            read.metric.map { labels($0.labels) } ?? "", read.value?.exactText ?? "", unit(of: read),
            "\(record.weight)",
            "\(record.isFailed)", "\(record.isAbandoned)", read.trace?.text ?? "",
        ]
        line(fields.joined(separator: ","))
    }

    private func unit(of read: RecordContext.Explained) -> String {
        switch read.value {
        case .seconds: "seconds"
        case .ticks: "ticks"
        case .quantity, nil: read.metric?.unit.name ?? ""
        }
    }

    /// Returns the labels in quotes, with every quote doubled (RFC 4180, section 2, rules 5 to 7). Empty if there are
    /// none.
    private func labels(_ labels: [Metric.Label]) -> String {
        guard !labels.isEmpty else { return "" }
        var json = JSONWriter(capacity: 128)
        json.object { $0.labelMembers(labels) }
        let quote = UInt8(ascii: "\"")
        let doubled = json.bytes.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return String(decoding: [quote] + doubled + [quote], as: UTF8.self)
    }
}

extension RecordValue {
    /// All digits, so that it reads back as the same number.
    fileprivate var exactText: String {
        switch self {
        case .seconds(let seconds): "\(seconds)"
        case .ticks(let ticks): "\(ticks)"
        case .quantity(.unsigned(let value)): "\(value)"
        case .quantity(.signed(let value)): "\(value)"
        case .quantity(.real(let value)): "\(value)"
        }
    }
}
