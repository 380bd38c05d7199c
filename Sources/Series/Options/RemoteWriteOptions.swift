/// Options of remote write.
package struct RemoteWriteOptions: Hashable, Sendable {
    /// The form in which histograms are sent.
    package enum Histograms: String, CaseIterable, Sendable {
        /// One native histogram with whole counts.
        case native
        /// One native histogram with floating-point counts, which are exact up to 2^53.
        case nativeFloat = "native_float"
        /// Series `x_bucket{le}`, `x_sum` and `x_count`, for servers that do not support native histograms.
        case classic
        /// A native histogram with whole counts, and the classic series.
        case both
    }

    package var histograms = Histograms.native
    /// The finest schema of native histograms, -4 to 7: an octave has 2^schema buckets. At 6, no value is more than
    /// 1.09 % from the next edge.
    package var schema = 6
    /// The number of used buckets from which on a native histogram is sent at a coarser schema; nil is no limit.
    package var bucketLimit: Int?
    /// The number of series in one request.
    package var batchSeries = 2000

    package init() {}
}
