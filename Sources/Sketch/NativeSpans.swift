/// Buckets of one sign in the form in which Prometheus' protobuf and remote write carry them: runs of neighbours, and each
/// count as its difference from the one before.
package struct NativeSpans: Sendable, Equatable {
    package var spans: [Span] = []
    /// One for each bucket of the spans; the first one is a count itself.
    package var deltas: [Int64] = []

    package struct Span: Sendable, Equatable {
        /// Of the first span the index of its first bucket; of another one the buckets left out before it.
        package var offset: Int32
        /// Buckets in it, at least one.
        package var length: UInt32

        package init(offset: Int32, length: UInt32) {
            self.offset = offset
            self.length = length
        }
    }

    /// Gaps up to this long are filled with empty buckets: a span of its own takes more bytes than two zeros.
    private static let longestFilledGap = 2

    /// - Parameter buckets: ascending by index.
    package init(_ buckets: [SketchSnapshot.Bucket]) {
        deltas.reserveCapacity(buckets.count + buckets.count / 4)
        var (next, last) = (0, Int64(0))
        for bucket in buckets {
            let gap = Int(bucket.index) - next
            if spans.isEmpty || gap > Self.longestFilledGap {
                spans.append(Span(offset: Int32(gap), length: 0))
            } else {
                for _ in 0..<gap { append(0, &last) }
            }
            append(bucket.count, &last)
            next = Int(bucket.index) + 1
        }
    }

    private mutating func append(_ count: UInt64, _ last: inout Int64) {
        // A count of 2^63 or more would take an hour at 10^15 values a second; it must not trap all the same.
        let value = Int64(truncatingIfNeeded: count)
        deltas.append(value &- last)
        last = value
        spans[spans.count - 1].length += 1
    }
}
