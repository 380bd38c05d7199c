package import Series

/// The forms in which `/metrics` can be had.
package enum ExpositionFormat: CaseIterable, Sendable {
    /// Delimited messages of `io.prometheus.client.MetricFamily`: the one form that carries native histograms.
    case protobuf
    case openMetrics
    /// What OpenMetrics was called before it was standardised; the same text.
    case openMetricsDraft
    /// Prometheus' text format 0.0.4.
    case text

    /// The value of Content-Type.
    package var contentType: String {
        switch self {
        case .protobuf: PrometheusProtobuf.contentType
        case .openMetrics: OpenMetricsText.contentType
        case .openMetricsDraft: OpenMetricsText.draftContentType
        case .text: PrometheusText.contentType
        }
    }

    /// Writes all families. Pure.
    ///
    /// - Parameter histograms: How native histograms are made; for protobuf alone.
    package func render(_ families: Families, histograms: NativeHistogramOptions) -> [UInt8] {
        switch self {
        case .protobuf: PrometheusProtobuf.render(families, histograms: histograms)
        case .openMetrics, .openMetricsDraft: OpenMetricsText.render(families)
        case .text: PrometheusText.render(families)
        }
    }
}
