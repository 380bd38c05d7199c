extension SketchSnapshot {
    /// The same counts in coarser buckets: 2^(scale - coarser) neighbours become one, which loses nothing else.
    ///
    /// - Parameter coarser: the scale wanted; a snapshot is returned as it is when its scale is not above that.
    package func downscaled(to coarser: Int) -> SketchSnapshot {
        guard coarser < scale else { return self }
        return SketchSnapshot(
            scale: coarser, positive: Self.merged(positive, shift: scale - coarser),
            negative: Self.merged(negative, shift: scale - coarser), zeroCount: zeroCount)
    }

    // Buckets hold their upper edge, so 1...2^shift become bucket 1.
    private static func merged(_ buckets: [Bucket], shift: Int) -> [Bucket] {
        var coarse: [Bucket] = []
        for bucket in buckets {
            let index = (bucket.index - 1) >> Int32(clamping: shift) + 1
            if let last = coarse.last, last.index == index {
                coarse[coarse.count - 1].count &+= bucket.count
            } else {
                coarse.append(Bucket(index: index, count: bucket.count))
            }
        }
        return coarse
    }
}
