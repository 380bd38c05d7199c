import Series

extension ExemplarSnapshot {
    /// As `ringside tail` shows it and takes it: 16 hexadecimal digits.
    var traceText: String {
        var bytes: [UInt8] = []
        bytes.append(hexadecimal: traceID)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// 16 digits.
    mutating func append(hexadecimal value: UInt64) {
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(shift) & 0xF)
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Unix seconds with milliseconds, which is as fine as Prometheus keeps them.
    mutating func append(timestamp unixNanoseconds: Int64) {
        let milliseconds = Swift.max(unixNanoseconds, 0) / 1_000_000
        append(decimal: milliseconds / 1000)
        append(UInt8(ascii: "."))
        for divisor: Int64 in [100, 10, 1] {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: milliseconds / divisor % 10))
        }
    }

    /// An upper edge as Prometheus itself writes one, in every form alike: `0.5`, `4.0`, from a million on `1e+06`.
    ///
    /// - Precondition: The number is finite.
    mutating func append(bound value: Double) {
        guard value.magnitude >= 1e6 else { return append(finite: value) }
        // Shortest digits, in whichever notation.
        let text = value.magnitude.description
        let parts = text.split(separator: "e")
        let digits = parts[0].filter { $0 != "." }
        let point = parts[0].prefix { $0 != "." }.count
        let exponent = (parts.count > 1 ? Int(parts[1])! : 0) + point - 1
        var significant = Substring(digits)
        while significant.count > 1, significant.last == "0" { significant.removeLast() }
        if value < 0 { append(UInt8(ascii: "-")) }
        append(String(significant.prefix(1)))
        if significant.count > 1 { append("." + significant.dropFirst()) }
        append("e+")
        if exponent < 10 { append(UInt8(ascii: "0")) }
        append(decimal: exponent)
    }
}
