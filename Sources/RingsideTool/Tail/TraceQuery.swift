internal import Arguments
internal import CRingside
internal import RingReader

/// The wanted trace, by all its 128 bits or by the number that a bot gave it.
enum TraceQuery: Equatable, Sendable {
    case number(UInt64)
    case whole(high: UInt64, low: UInt64)

    static let reader = ValueReader<TraceQuery>(
        expecting: """
            a trace id: 32 hexadecimal digits, a traceparent, or a bot's number as decimal, as 0x and hexadecimal digits, or as 16 \
            hexadecimal digits; not 0
            """
    ) { TraceQuery($0) }

    init?(_ text: String) {
        switch text.utf8.count {
        case 32:
            guard let high = Self.digits(text.prefix(16)), let low = Self.digits(text.suffix(16)), high | low != 0
            else { return nil }
            self = .whole(high: high, low: low)
        case 33...:
            var trace = ringside_trace()
            var text = text
            let code = text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    ringside_traceparent_parse($0.baseAddress!, $0.count, &trace)
                }
            }
            guard code == 0 else { return nil }
            self = .whole(high: trace.id_high, low: trace.id_low)
        default:
            let number =
                text.hasPrefix("0x")
                ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text, radix: text.utf8.count == 16 ? 16 : 10)
            guard let number, number != 0, !text.contains("+") else { return nil }
            self = .number(number)
        }
    }

    private static func digits(_ text: Substring) -> UInt64? {
        text.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") } ? UInt64(text, radix: 16) : nil
    }

    /// Returns whether a record is of this trace. If the context that its trace came with is lost, half of the id
    /// decides.
    func includes(_ read: RecordContext.Explained) -> Bool {
        guard let trace = read.trace else { return false }
        switch self {
        case .number(let number): return read.record.traceID == number
        case .whole(let high, let low) where trace.loss.contains(.context):
            return read.record.traceID == (low != 0 ? low : high)
        case .whole(let high, let low): return trace.high == high && trace.low == low
        }
    }
}
