/// How remote write sends what a sample cannot carry.
package struct RemoteWriteOptions: Hashable, Sendable {
    /// What becomes of a histogram.
    package enum Histograms: String, CaseIterable, Sendable {
        /// One native histogram with whole counts.
        case native
        /// One native histogram with its counts as floating-point numbers, which are exact up to 2^53.
        case nativeFloat = "native_float"
        /// Series `x_bucket{le}`, `x_sum` and `x_count`, for servers that know no native ones.
        case classic
        /// Native with whole counts, and classic.
        case both
    }

    package var histograms = Histograms.native
    /// The finest schema of native histograms, -4 to 7: buckets an octave are 2^schema. At 6 no value is further than 1.09 %
    /// from the next edge.
    package var schema = 6
    /// The most buckets that a native histogram may fill before it goes out at a coarser schema; nil is as many as there are.
    package var bucketLimit: Int?
    /// Series of one request.
    package var batchSeries = 2000

    package init() {}
}
