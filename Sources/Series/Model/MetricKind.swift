/// The kind of a metric. It decides how the metric is read, shown and exported.
package enum MetricKind: String, Sendable {
    case counter
    case upDownCounter
    case gauge
    case histogram
}
