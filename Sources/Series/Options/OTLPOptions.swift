/// Options of metrics that are sent by OTLP.
package struct OTLPOptions: Hashable, Sendable {
    /// The finest scale of exponential histograms, -4 to 7: an octave has 2^scale buckets.
    package var scale = 7
    /// The greatest number of buckets of one sign, from the first used one to the last. A histogram that needs more is
    /// sent at a coarser scale. Nil is no limit.
    package var bucketLimit: Int? = 160
    /// The number of data points in one request.
    package var batchPoints = 2000

    package init() {}
}

/// Options of spans that are sent by OTLP.
package struct OTLPTraceOptions: Hashable, Sendable {
    /// The greatest number of spans that wait between two requests. Further spans are dropped and counted.
    package var bufferSpans = 100_000
    /// The number of spans in one request.
    package var batchSpans = 2000

    package init() {}
}
