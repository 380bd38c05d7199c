/// Parses the numbers in fields of a CSV file.
enum NumberParser {
    /// Parses a whole number of 0 or more, also with a fraction of zeros (`12.0`), because some programs write every
    /// number in this form.
    static func whole(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        let text = trimmed(bytes)
        guard !text.isEmpty else { return nil }
        var value: UInt64 = 0
        for (index, byte) in text.enumerated() {
            let digit = byte &- 0x30
            guard digit < 10 else { return index == 0 && byte != 0x2B ? nil : wholeOfReal(text) }
            // 19 digits always fit.
            guard index < 19 else { return UInt64(String(decoding: text, as: UTF8.self)) }
            value = value &* 10 &+ UInt64(digit)
        }
        return value
    }

    private static func wholeOfReal(_ text: UnsafeRawBufferPointer) -> UInt64? {
        guard let real = real(text), real.magnitude <= 0x1p53 else { return nil }
        return UInt64(exactly: real)
    }

    /// Parses a time: a whole number, which may be negative.
    static func signed(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        let text = trimmed(bytes)
        guard text.first == 0x2D else { return whole(text).flatMap { Int64(exactly: $0) } }
        return whole(UnsafeRawBufferPointer(rebasing: text.dropFirst())).flatMap { Int64(exactly: $0) }.map { -$0 }
    }

    /// Parses a finite number.
    static func real(_ bytes: UnsafeRawBufferPointer) -> Double? {
        let text = trimmed(bytes)
        if let simple = simpleDecimal(text) { return simple }
        // Swift also accepts other forms, such as 0x10 or nan, which are not numbers here.
        guard text.count <= 64, text.allSatisfy({ ($0 &- 0x30) < 10 || "+-.eE".utf8.contains($0) }),
            let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite
        else {
            return nil
        }
        return value
    }

    /// Parses digits with at most one point, at most 15 of them. This is an exact whole number over an exact power of
    /// ten, so that one division rounds correctly (Clinger, "How to read floating point numbers accurately", 1990).
    private static func simpleDecimal(_ text: UnsafeRawBufferPointer) -> Double? {
        let isNegative = text.first == 0x2D
        var mantissa: UInt64 = 0
        var digits = 0
        var fraction: Int?
        for byte in isNegative ? UnsafeRawBufferPointer(rebasing: text.dropFirst()) : text {
            if byte == 0x2E, fraction == nil {
                fraction = digits
                continue
            }
            let digit = byte &- 0x30
            guard digit < 10, digits < 15 else { return nil }
            mantissa = mantissa &* 10 &+ UInt64(digit)
            digits += 1
        }
        guard digits > 0 else { return nil }
        let value = Double(mantissa) / powersOfTen[digits - (fraction ?? digits)]
        return isNegative ? -value : value
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    /// Returns the bytes without surrounding spaces and tabs.
    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var rest = bytes[...]
        while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
        return UnsafeRawBufferPointer(rebasing: rest)
    }
}
