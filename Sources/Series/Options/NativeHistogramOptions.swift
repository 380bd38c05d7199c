/// Options of native histograms in exports.
package struct NativeHistogramOptions: Hashable, Sendable {
    /// The schema, -4 to 7: an octave has 2^schema buckets. At 6, no value is more than 1.09 % from the next edge.
    package var schema: Int
    /// The number of used buckets from which on a coarser schema is used; nil is no limit.
    package var bucketLimit: Int?

    package static let standard = NativeHistogramOptions(schema: 6, bucketLimit: nil)

    package init(schema: Int, bucketLimit: Int?) {
        self.schema = schema
        self.bucketLimit = bucketLimit
    }
}
