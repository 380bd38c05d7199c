/// Durations in configuration files: a number and a unit, such as `50ms`, `1.5s` or `30d`.
package enum DurationText {
    private static let units: [(name: String, nanoseconds: Double)] = [
        ("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9), ("d", 86400e9),
    ]

    static var unitNames: [String] { units.map(\.name) }

    /// The form of a duration, for messages.
    static let form = "a duration such as \"5ms\", \"10s\" or \"1h\""

    /// Returns a duration in nanoseconds; nil if the text is not a duration, is not a whole number of nanoseconds, or
    /// is longer than a century.
    package static func nanoseconds(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let unit = units.first(where: { $0.name == text.dropFirst(digits.count) })?.nanoseconds,
            let number = Double(digits), case let value = (number * unit).rounded(), value >= 0, value < 3.2e18,
            abs(value - number * unit) <= abs(value) * 1e-12
        else { return nil }
        return Int64(value)
    }

    /// The range of durations that a key accepts.
    struct Bounds {
        /// The bounds, written as in the file.
        private let shortest: String
        private let longest: String?
        private let isWholeSeconds: Bool

        /// - Parameter longest: Nil allows up to a century.
        init(from shortest: String, to longest: String?, isWholeSeconds: Bool = false) {
            self.shortest = shortest
            self.longest = longest
            self.isWholeSeconds = isWholeSeconds
        }

        func contains(_ length: Int64) -> Bool {
            length >= DurationText.nanoseconds(shortest) ?? 0
                && length <= longest.flatMap { DurationText.nanoseconds($0) } ?? .max
                && (!isWholeSeconds || length % 1_000_000_000 == 0)
        }

        /// The range, for messages.
        var expectation: String {
            let kind = isWholeSeconds ? "a duration of whole seconds" : "a duration"
            return "\(kind) such as \"10s\", \(longest.map { "from \(shortest) to \($0)" } ?? "\(shortest) or longer")"
        }
    }
}
