/// The statistic of a series that is compared with its usual range.
package enum LevelStatistic: Hashable, Sendable {
    /// A quantile of a histogram, over a minute.
    case quantile(Double)
    /// The number of values of a histogram, or the increase of a counter, per second.
    case rate
    /// The value of a gauge or an up-down counter.
    case value

    /// `p99`, `rate` or `value`, as exports show it.
    package var name: String {
        switch self {
        case .quantile(let quantile): Self.name(ofQuantile: quantile)
        case .rate: "rate"
        case .value: "value"
        }
    }

    /// Returns the digits of a quantile after the point, at least two: `p50`, `p999`; `p0` and `p100` at the ends.
    package static func name(ofQuantile quantile: Double) -> String {
        if quantile <= 0 { return "p0" }
        if quantile >= 1 { return "p100" }
        // The shortest digits. Below 1e-4 `description` has an exponent; such a quantile is named by its percentage.
        let text = quantile.description
        guard text.hasPrefix("0.") else { return "p\((quantile * 100).description)" }
        let digits = text.dropFirst(2)
        return "p" + digits + (digits.count < 2 ? "0" : "")
    }
}
