/// The units of a duration, longest first, and their nanoseconds.
private let durationUnits: [(name: String, nanoseconds: Int64)] = [
    ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
    ("ms", 1_000_000), ("us", 1_000), ("ns", 1),
]

extension ValueReader where Value == Int64 {
    /// Accepts a duration in nanoseconds, written as a number and a unit: `250us`, `100ms`, `1.5s`, `5m`, `2h`, `7d`.
    ///
    /// - Parameters:
    ///   - range: The accepted durations, in nanoseconds.
    ///   - bareNumberIsSeconds: Whether `60` may stand for `60s`.
    package static func duration(
        in range: ClosedRange<Int64> = 1...Int64.max, bareNumberIsSeconds: Bool = false
    ) -> ValueReader {
        let lower = durationText(range.lowerBound)
        let isOpen = range.upperBound == .max
        let limits = isOpen ? "\(lower) or more" : "\(lower) to \(durationText(range.upperBound))"
        let bare = bareNumberIsSeconds ? ", a bare number being seconds" : ""
        return ValueReader(
            expecting: "a duration such as 250us, 100ms, 1s, 5m or 2h\(bare), \(isOpen ? "" : "from ")\(limits)",
            limits: limits,
            show: durationText
        ) { text in
            nanoseconds(of: text, bareUnit: bareNumberIsSeconds ? "s" : "").flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

/// Returns a duration as text, in the longest unit that needs no fraction: `90s`, `100ms`, `0s`.
@Sendable package func durationText(_ nanoseconds: Int64) -> String {
    guard nanoseconds != 0 else { return "0s" }
    let unit = durationUnits.first { nanoseconds % $0.nanoseconds == 0 }!
    return "\(nanoseconds / unit.nanoseconds)\(unit.name)"
}

/// Parses digits, an optional fraction and a unit. Returns nil for anything else, and for values beyond 64 bits.
private func nanoseconds(of text: String, bareUnit: String) -> Int64? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let suffix = number.endIndex == text.endIndex ? bareUnit : String(text[number.endIndex...])
    guard let unit = durationUnits.first(where: { $0.name == suffix })?.nanoseconds else { return nil }
    if let whole = Int64(number) {
        let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
        return overflow ? nil : product
    }
    guard let real = Double(number) else { return nil }
    return Int64(exactly: (real * Double(unit)).rounded())
}

/// The units of a size, and their bytes.
private let sizeUnits: [(name: String, bytes: Int64)] = [
    ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000), ("TiB", 1 << 40),
    ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
]

extension ValueReader where Value == Int64 {
    /// Accepts a size in bytes, written as a number and a unit: `500MB`, `2GB`, `1.5GiB`; 1 MB or more.
    package static var byteSize: ValueReader {
        ValueReader(expecting: "a size such as 500MB, 2GB or 1GiB, 1MB or more", limits: "1MB or more") { text in
            let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let unit = sizeUnits.first(where: { $0.name == text[number.endIndex...] })?.bytes,
                let value = Double(number), let bytes = Int64(exactly: (value * Double(unit)).rounded()),
                bytes >= 1_000_000
            else { return nil }
            return bytes
        }
    }
}
