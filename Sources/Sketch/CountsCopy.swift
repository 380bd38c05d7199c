/// The counts of one sign in a snapshot.
enum CountsCopy: Sendable {
    /// The buckets in use, ascending.
    case listed([SketchSnapshot.Bucket])
    /// As a sketch holds them: from the place `base` on (``BucketPlace``) the low 16 bits of each count and, where one needs more,
    /// the bits above.
    case dense(base: Int32, low: [UInt16], high: [UInt64])

    var buckets: [SketchSnapshot.Bucket] { merged(shift: 0) }

    /// Whether no bucket holds a count.
    var isEmpty: Bool {
        switch self {
        case .listed(let buckets): buckets.isEmpty
        case .dense(_, let low, let high): low.allSatisfy { $0 == 0 } && high.allSatisfy { $0 == 0 }
        }
    }

    /// The count of a bucket, by its index of scale 7. Cost: none, but for a list: its length at most.
    func count(at index: Int32) -> UInt64 {
        switch self {
        case .listed(let buckets):
            return buckets.last { $0.index <= index }.map { $0.index == index ? $0.count : 0 } ?? 0
        case .dense(let base, let low, let high):
            let offset = BucketPlace.place(ofBucket: Int(index)) - Int(base)
            guard low.indices.contains(offset) else { return 0 }
            return UInt64(low[offset]) | (high.isEmpty ? 0 : high[offset] << 16)
        }
    }

    /// The buckets in use with 2^`shift` neighbours as one: they hold their upper edge, so that 1...2^shift become bucket 1.
    ///
    /// Cost: one pass over the range, of about a nanosecond a bucket.
    func merged(shift: Int32) -> [SketchSnapshot.Bucket] {
        switch self {
        case .listed(let buckets): return shift == 0 ? buckets : Self.merged(buckets, shift)
        case .dense(let base, let low, let high):
            return low.withUnsafeBufferPointer { low in
                high.withUnsafeBufferPointer { Self.merged(base, low, $0, shift) }
            }
        }
    }

    private static func merged(_ buckets: [SketchSnapshot.Bucket], _ shift: Int32) -> [SketchSnapshot.Bucket] {
        var coarse: [SketchSnapshot.Bucket] = []
        for bucket in buckets {
            let index = (bucket.index - 1) >> shift + 1
            if let last = coarse.last, last.index == index {
                coarse[coarse.count - 1].count &+= bucket.count
            } else {
                coarse.append(.init(index: index, count: bucket.count))
            }
        }
        return coarse
    }

    @inline(__always)
    private static func bucket(_ base: Int32, _ offset: Int) -> Int32 {
        Int32(truncatingIfNeeded: BucketPlace.bucket(atPlace: Int(base) + offset))
    }

    private static func merged(
        _ base: Int32, _ low: UnsafeBufferPointer<UInt16>, _ high: UnsafeBufferPointer<UInt64>, _ shift: Int32
    ) -> [SketchSnapshot.Bucket] {
        guard let last = low.indices.last else { return [] }
        let (lowest, highest) = (bucket(base, 0), bucket(base, last))
        let widest = shift < 31 ? Int(highest - lowest) >> Int(shift) + 2 : 2
        return [SketchSnapshot.Bucket](unsafeUninitializedCapacity: min(low.count, widest)) { coarse, used in
            var open = SketchSnapshot.Bucket(index: 0, count: 0)
            for offset in 0..<low.count {
                let count = UInt64(low[offset]) | (high.isEmpty ? 0 : high[offset] << 16)
                if count == 0 { continue }
                let index = (bucket(base, offset) - 1) >> shift + 1
                if index == open.index {
                    open.count &+= count
                    continue
                }
                if open.count > 0 {
                    coarse.initializeElement(at: used, to: open)
                    used += 1
                }
                open = .init(index: index, count: count)
            }
            guard open.count > 0 else { return }
            coarse.initializeElement(at: used, to: open)
            used += 1
        }
    }
}

extension CountsCopy {
    /// Values that are counted by octave; of counts of the sketch's own scale. Cost: one pass over the places beyond the fine ones.
    var coarseCount: UInt64 {
        switch self {
        case .listed(let buckets):
            return buckets.reduce(0) { BucketPlace.isCountedByOctave(bucket: Int($1.index)) ? $0 &+ $1.count : $0 }
        case .dense(let base, let low, let high):
            return BucketPlace.coarseOffsets(base: Int(base), length: low.count).reduce(0) {
                $0 &+ (UInt64(low[$1]) | (high.isEmpty ? 0 : high[$1] << 16))
            }
        }
    }
}

extension DenseCounts {
    /// Values that are counted by octave. Cost: one pass over the places beyond the fine ones.
    var coarseCount: UInt64 {
        BucketPlace.coarseOffsets(base: Int(base), length: Int(length)).reduce(0) { $0 &+ count(atOffset: $1) }
    }

    /// Cost: moving the memory that the range in use takes.
    func copy() -> CountsCopy {
        guard let low, length > 0 else { return .listed([]) }
        let range = Int(length)
        return .dense(
            base: base, low: Array(UnsafeBufferPointer(start: low, count: range)),
            high: high.map { Array(UnsafeBufferPointer(start: $0, count: range)) } ?? [])
    }
}
