/// The counts of one sign in a snapshot.
enum CountsCopy: Sendable {
    /// The buckets in use, ascending.
    case listed([SketchSnapshot.Bucket])
    /// The memory of a sketch: the low 16 bits of each count from the place `base` on (``BucketLayout``), and the bits
    /// above if one of the counts needs them.
    case dense(base: Int32, low: [UInt16], high: [UInt64])

    var buckets: [SketchSnapshot.Bucket] { merged(shift: 0) }

    /// Whether no bucket holds a count.
    var isEmpty: Bool {
        switch self {
        case .listed(let buckets): buckets.isEmpty
        case .dense(_, let low, let high): low.allSatisfy { $0 == 0 } && high.allSatisfy { $0 == 0 }
        }
    }

    /// Returns the count of a bucket, given its index of scale 7. Cost: constant for `dense`; at most the length of the
    /// list for `listed`.
    func count(at index: Int32) -> UInt64 {
        switch self {
        case .listed(let buckets):
            return buckets.last { $0.index <= index }.map { $0.index == index ? $0.count : 0 } ?? 0
        case .dense(let base, let low, let high):
            let offset = BucketLayout.place(ofBucket: Int(index)) - Int(base)
            guard low.indices.contains(offset) else { return 0 }
            return UInt64(low[offset]) | (high.isEmpty ? 0 : high[offset] << 16)
        }
    }

    /// Returns the buckets in use, with 2^`shift` neighbours merged into one. A bucket includes its upper edge, so
    /// buckets 1...2^shift become bucket 1.
    ///
    /// Cost: one pass over the range, about 1 ns a bucket.
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
        guard let first = buckets.first else { return [] }
        var coarse: [SketchSnapshot.Bucket] = []
        coarse.reserveCapacity(Swift.min(buckets.count, 256))
        var open = SketchSnapshot.Bucket(index: (first.index - 1) >> shift + 1, count: 0)
        for bucket in buckets {
            let index = (bucket.index - 1) >> shift + 1
            if index != open.index {
                coarse.append(open)
                open = .init(index: index, count: 0)
            }
            open.count &+= bucket.count
        }
        coarse.append(open)
        return coarse
    }

    @inline(__always)
    private static func bucket(_ base: Int32, _ offset: Int) -> Int32 {
        Int32(truncatingIfNeeded: BucketLayout.bucket(atPlace: Int(base) + offset))
    }

    @inline(__always)
    private static func isEmptyWord(_ low: UnsafeBufferPointer<UInt16>, _ offset: Int) -> Bool {
        UnsafeRawPointer(low.baseAddress.unsafelyUnwrapped + offset).loadUnaligned(as: UInt64.self) == 0
    }

    private static func merged(
        _ base: Int32, _ low: UnsafeBufferPointer<UInt16>, _ high: UnsafeBufferPointer<UInt64>, _ shift: Int32
    ) -> [SketchSnapshot.Bucket] {
        guard let last = low.indices.last else { return [] }
        let (lowest, highest) = (bucket(base, 0), bucket(base, last))
        let widest = shift < 31 ? Int(highest - lowest) >> Int(shift) + 2 : 2
        return [SketchSnapshot.Bucket](unsafeUninitializedCapacity: min(low.count, widest)) { coarse, used in
            var open = SketchSnapshot.Bucket(index: 0, count: 0)
            var offset = 0
            while offset < low.count {
                // Most of a quiet series' range is empty.
                if high.isEmpty, offset &+ 4 <= low.count, isEmptyWord(low, offset) {
                    offset &+= 4
                    continue
                }
                let count = UInt64(low[offset]) | (high.isEmpty ? 0 : high[offset] << 16)
                defer { offset &+= 1 }
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
    /// The number of finite values that are counted by octave, for counts of the sketch's own scale. Cost: one pass
    /// over the octaves' places.
    var coarseCount: UInt64 {
        switch self {
        case .listed(let buckets):
            return buckets.reduce(0) { BucketLayout.isCountedByOctave(bucket: Int($1.index)) ? $0 &+ $1.count : $0 }
        case .dense(let base, let low, let high):
            guard BucketLayout.mayBeCoarse(base: Int(base), length: low.count) else { return 0 }
            return BucketLayout.coarseOffsets(base: Int(base), length: low.count).reduce(0) {
                $0 &+ (UInt64(low[$1]) | (high.isEmpty ? 0 : high[$1] << 16))
            }
        }
    }
}

extension DenseCounts {
    /// The number of finite values that are counted by octave. Cost: one pass over the octaves' places.
    var coarseCount: UInt64 {
        BucketLayout.coarseOffsets(base: Int(base), length: Int(length)).reduce(0) { $0 &+ count(atOffset: $1) }
    }

    /// Returns a copy. Cost: copying the memory of the range in use.
    func copy() -> CountsCopy {
        guard let low, length > 0 else { return .listed([]) }
        let range = Int(length)
        return .dense(
            base: base, low: Array(UnsafeBufferPointer(start: low, count: range)),
            high: high.map { Array(UnsafeBufferPointer(start: $0, count: range)) } ?? [])
    }
}
