internal import JSON
import Series

extension ExemplarSnapshot {
    /// The trace id as `ringside tail` shows and accepts it: 32 hexadecimal digits.
    var traceText: String {
        var bytes: [UInt8] = []
        bytes.append(traceID)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a trace id as 32 hexadecimal digits.
    mutating func append(_ trace: TraceID) {
        append(hexadecimal: trace.high)
        append(hexadecimal: trace.low)
    }

    /// Appends a number as 16 hexadecimal digits.
    mutating func append(hexadecimal value: UInt64) {
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(shift) & 0xF)
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Appends a time in Unix seconds with milliseconds, the precision that Prometheus stores.
    mutating func append(timestamp unixNanoseconds: Int64) {
        let milliseconds = Swift.max(unixNanoseconds, 0) / 1_000_000
        append(decimal: milliseconds / 1000)
        append(UInt8(ascii: "."))
        for divisor: Int64 in [100, 10, 1] {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: milliseconds / divisor % 10))
        }
    }
}
