/// The unit of a metric's exported values, which is also the suffix of its name.
package enum MetricUnit: String, CaseIterable, Sendable {
    case none = ""
    case seconds
    case bytes
    case ratio
    case usd
    case bps
}
