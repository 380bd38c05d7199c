/// What a metric counts or measures, which decides how it is read, shown and exported.
package enum MetricKind: String, Sendable {
    case counter
    case upDownCounter
    case gauge
    case histogram
}
