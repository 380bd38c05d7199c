/// The counts of one sign in a snapshot.
enum CountsCopy: Sendable {
    /// The buckets in use, ascending.
    case listed([SketchSnapshot.Bucket])
    /// As a sketch holds them: from the bucket `base` on the low 16 bits of each count and, where one needs more, the bits
    /// above.
    case dense(base: Int32, low: [UInt16], high: [UInt64])

    var buckets: [SketchSnapshot.Bucket] {
        switch self {
        case .listed(let buckets): return buckets
        case .dense(let base, let low, let high):
            var buckets: [SketchSnapshot.Bucket] = []
            buckets.reserveCapacity(low.count { $0 > 0 })
            for offset in low.indices {
                let count = UInt64(low[offset]) | (high.isEmpty ? 0 : high[offset] << 16)
                if count > 0 { buckets.append(.init(index: base + Int32(offset), count: count)) }
            }
            return buckets
        }
    }
}

extension DenseCounts {
    /// Cost: moving the memory that the range in use takes.
    func copy() -> CountsCopy {
        guard let low, length > 0 else { return .listed([]) }
        let range = Int(length)
        return .dense(
            base: base, low: Array(UnsafeBufferPointer(start: low, count: range)),
            high: high.map { Array(UnsafeBufferPointer(start: $0, count: range)) } ?? [])
    }
}
