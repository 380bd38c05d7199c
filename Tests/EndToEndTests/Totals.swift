/// What tells one metric of a bot from another.
struct MetricKey: Hashable {
    let name: String
    let labels: [String: String]
}

struct TotalKey: Hashable {
    enum Part { case value, count, calls }

    let metric: MetricKey
    let of: Part
}

/// Totals of a bot, each a whole number but for counters of amounts.
typealias Totals = [TotalKey: Double]

extension [TotalKey: Double] {
    /// The totals of two lives or rings together.
    static func + (a: Totals, b: Totals) -> Totals { a.merging(b, uniquingKeysWith: +) }

    /// What is not the same in both, for people to read. Whole numbers are the same when they are equal; sums of fractions
    /// may have been added up in another order.
    func differences(from expected: Totals) -> [String] {
        Set(keys).union(expected.keys).compactMap { key in
            let (own, other) = (self[key] ?? .nan, expected[key] ?? .nan)
            let isWhole = own == own.rounded() && other == other.rounded()
            let isSame = own == other || !isWhole && abs(own - other) <= 1e-9 * abs(other)
            return isSame ? nil : "\(key.metric.name) \(key.metric.labels) \(key.of): \(own), expected \(other)"
        }
    }
}
