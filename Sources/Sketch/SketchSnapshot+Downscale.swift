extension SketchSnapshot {
    /// The same counts in coarser buckets: 2^(scale - coarser) neighbours become one, which loses nothing else.
    ///
    /// - Parameter coarser: the scale wanted; a snapshot is returned as it is when its scale is not above that.
    package func downscaled(to coarser: Int) -> SketchSnapshot {
        guard coarser < scale else { return self }
        let shift = Int32(clamping: scale - coarser)
        return SketchSnapshot(
            scale: coarser, positive: positiveCounts.merged(shift: shift),
            negative: negativeCounts.merged(shift: shift),
            zeroCount: zeroCount)
    }
}
