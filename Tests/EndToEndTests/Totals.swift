/// The key that tells one metric of a bot from another.
struct MetricKey: Hashable {
    let name: String
    let labels: [String: String]
}

struct TotalKey: Hashable {
    enum Part { case value, count, calls }

    let metric: MetricKey
    let of: Part
}

/// Totals of a bot. Each is a whole number, except counters of amounts.
typealias Totals = [TotalKey: Double]

extension [TotalKey: Double] {
    /// Returns the sum of the totals of two lives or rings.
    static func + (a: Totals, b: Totals) -> Totals { a.merging(b, uniquingKeysWith: +) }

    /// Returns the differences of both, for people to read. Whole numbers must be equal. Sums of fractions may have
    /// been added up in another order.
    func differences(from expected: Totals) -> [String] {
        Set(keys).union(expected.keys).compactMap { key in
            let (own, other) = (self[key] ?? .nan, expected[key] ?? .nan)
            let isWhole = own == own.rounded() && other == other.rounded()
            let isSame = own == other || !isWhole && abs(own - other) <= 1e-9 * abs(other)
            return isSame ? nil : "\(key.metric.name) \(key.metric.labels) \(key.of): \(own), expected \(other)"
        }
    }
}
