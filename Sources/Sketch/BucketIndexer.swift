/// Finds the exact bucket of a positive value with one table look-up.
///
/// Bucket `i` covers (2^((i-1)/128), 2^(i/128)]. This is the base-2 exponential histogram of OpenTelemetry, and of
/// Prometheus' native histograms, at scale 7. Powers of two are edges: the index of 2^k is 128·k. All other edges are
/// irrational, so no other double lies on an edge.
///
/// The top 8 bits of the mantissa select one of 256 cells of the table. The narrowest bucket of an octave is wider than
/// a cell (2^(1/128) - 1 > 1/256), so a cell contains at most one edge. An entry is made so that adding the low 44 bits
/// of a mantissa carries into the bucket number exactly if the mantissa is above that edge.
package struct BucketIndexer: @unchecked Sendable {
    // Sendable: the table is complete before `shared` is set. It is never written again and never freed.
    private let cells: UnsafePointer<UInt64>

    /// The table, made at first use. Hot code copies this value, because each read of a global costs a check.
    package static let shared = BucketIndexer(edges: BucketEdges.mantissas)

    /// An octave has 2^scale buckets.
    package static let scale = 7
    package static let bucketsPerOctave = 1 << scale
    /// The buckets of the smallest subnormal, 2^-1074, and of the greatest finite double.
    package static let lowestIndex = -1074 << scale
    package static let highestIndex = 1024 << scale
    /// The bucket of infinite magnitudes. It is Prometheus' overflow bucket: (greatest finite double, infinity].
    package static let overflowIndex = highestIndex + 1

    /// - Parameter edges: The greatest 52-bit mantissa that is not above an edge, for each edge of an octave,
    ///   ascending.
    private init(edges: [UInt64]) {
        let table = UnsafeMutablePointer<UInt64>.allocate(capacity: 256)
        for cell in 0..<256 {
            let first = UInt64(cell) << 44
            let bucket = edges.firstIndex { first <= $0 } ?? edges.count
            let hasEdge = bucket < edges.count && edges[bucket] >> 44 == UInt64(cell)
            let carry = hasEdge ? Self.lowMask - (edges[bucket] & Self.lowMask) : 0
            table[cell] = UInt64(bucket) << 44 | carry
        }
        cells = UnsafePointer(table)
    }

    private static let lowMask: UInt64 = 1 << 44 - 1

    /// Returns the bucket of the normal positive double with these bits.
    ///
    /// Cost: about 1.5 ns.
    @inline(__always)
    package func index(normalBits bits: UInt64) -> Int {
        let low: UInt64 = bits & 0x0FFF_FFFF_FFFF
        let cell = Int(truncatingIfNeeded: (bits >> 44) & 0xFF)
        let bucket = Int(truncatingIfNeeded: (cells[cell] &+ low) >> 44)
        return (Int(truncatingIfNeeded: bits >> 52) &- 1023) << 7 &+ bucket
    }

    /// Returns the bucket of a magnitude, which may be subnormal or infinite.
    ///
    /// - Precondition: `magnitude` is above zero.
    package func index(of magnitude: Double) -> Int {
        precondition(magnitude > 0)
        if magnitude.isInfinite { return Self.overflowIndex }
        guard magnitude.isSubnormal else { return index(normalBits: magnitude.bitPattern) }
        // Multiplying by 2^54 makes every subnormal normal, and is exact.
        return index(normalBits: (magnitude * 0x1p54).bitPattern) - 54 * Self.bucketsPerOctave
    }
}
