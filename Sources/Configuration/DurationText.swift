/// Durations as the file writes them: a number and a unit, such as `50ms`, `1.5s` or `30d`.
enum DurationText {
    private static let units: [(name: String, nanoseconds: Double)] = [
        ("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9), ("d", 86400e9),
    ]

    /// What a message says of the form.
    static let form = "a duration such as \"50ms\", \"1m\" or \"30d\" (ns, us, ms, s, m, h, d)"

    /// Nil where the text is no duration, or is not of whole nanoseconds, or is longer than a century.
    static func nanoseconds(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let unit = units.first(where: { $0.name == text.dropFirst(digits.count) })?.nanoseconds,
            let number = Double(digits), case let value = (number * unit).rounded(), value >= 0, value < 3.2e18,
            abs(value - number * unit) <= abs(value) * 1e-12
        else { return nil }
        return Int64(value)
    }
}
