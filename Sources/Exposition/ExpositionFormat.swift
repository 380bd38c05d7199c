package import Series

/// The formats in which `/metrics` is served.
package enum ExpositionFormat: CaseIterable, Sendable {
    /// Delimited messages of `io.prometheus.client.MetricFamily`, the only format with native histograms.
    case protobuf
    case openMetrics
    /// OpenMetrics under the name and version of its draft; the same text.
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
    /// - Parameter histograms: The options of native histograms, which only protobuf has.
    package func render(_ families: Families, histograms: NativeHistogramOptions) -> [UInt8] {
        var parts = RenderedParts.none
        return render(families, histograms: histograms, reusing: &parts)
    }

    /// Writes all families, and copies the bytes of histograms that have not changed since earlier pages of this
    /// format.
    package func render(
        _ families: Families, histograms: NativeHistogramOptions, reusing parts: inout RenderedParts
    ) -> [UInt8] {
        switch self {
        case .protobuf: PrometheusProtobuf.render(families, histograms: histograms, reusing: &parts)
        case .openMetrics, .openMetricsDraft: OpenMetricsText.render(families, reusing: &parts)
        case .text: PrometheusText.render(families, reusing: &parts)
        }
    }
}
