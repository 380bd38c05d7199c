/// How histograms are exported as native ones.
package struct NativeHistogramOptions: Hashable, Sendable {
    /// Buckets an octave are 2^schema; -4 to 7. At 6 no value is further than 1.09 % from the next edge.
    package var schema: Int
    /// The most buckets that a histogram may fill before it goes to a coarser schema; nil is as many as there are.
    package var bucketLimit: Int?

    package static let standard = NativeHistogramOptions(schema: 6, bucketLimit: nil)

    package init(schema: Int, bucketLimit: Int?) {
        self.schema = schema
        self.bucketLimit = bucketLimit
    }
}
