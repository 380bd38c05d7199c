/// How metrics are sent by OTLP.
package struct OTLPOptions: Hashable, Sendable {
    /// The finest scale of exponential histograms, -4 to 7: buckets an octave are 2^scale.
    package var scale = 7
    /// The most buckets of either sign, from the first that holds a value to the last: a histogram that spans more goes out at
    /// a coarser scale. Nil is as many as there are.
    package var bucketLimit: Int? = 160
    /// Data points of one request.
    package var batchPoints = 2000

    package init() {}
}

/// How spans are sent by OTLP.
package struct OTLPTraceOptions: Hashable, Sendable {
    /// Spans that wait between two requests for them; those beyond are dropped and counted.
    package var bufferSpans = 100_000
    /// Spans of one request.
    package var batchSpans = 2000

    package init() {}
}
