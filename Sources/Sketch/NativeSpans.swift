/// Buckets of one sign in the form of Prometheus' protobuf and remote write: runs of adjacent buckets, and each count
/// as its difference from the previous one.
package struct NativeSpans: Sendable, Equatable {
    package var spans: [Span] = []
    /// One for each bucket of the spans. The first one is a count.
    package var deltas: [Int64] = []

    package struct Span: Sendable, Equatable {
        /// The index of the first bucket in the first span; in other spans, the number of buckets left out before it.
        package var offset: Int32
        /// The number of buckets, at least one.
        package var length: UInt32

        package init(offset: Int32, length: UInt32) {
            self.offset = offset
            self.length = length
        }
    }

    /// Gaps up to this long are filled with empty buckets, because another span takes more bytes than two zeros.
    private static let longestFilledGap = 2

    /// - Parameter buckets: Ascending by index.
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
        // A count of 2^63 would take two and a half hours at 10^15 values a second. It still must not trap.
        let value = Int64(truncatingIfNeeded: count)
        deltas.append(value &- last)
        last = value
        spans[spans.count - 1].length += 1
    }
}
