internal import Platform
internal import RingReader

/// Decides which rings keep a file descriptor if there are more rings than descriptors. The others are read without
/// one.
struct DescriptorShares {
    private let bound: Int
    /// Whether it was logged that some rings have no descriptor.
    private var hasLogged = false

    init(bound: Int) { self.bound = bound }

    /// Closes a new ring's descriptor if the limit is reached.
    ///
    /// - Parameter held: The number of descriptors of rings, including those of rings that are no longer read.
    mutating func admit(_ segment: Segment, held: Int, _ logger: Logger) {
        guard held >= bound else { return }
        segment.giveDescriptorBack()
        guard !hasLogged else { return }
        hasLogged = true
        logger.warn(
            "more rings than descriptors: some are read without; if such a ring is removed, its bot counts as ended; "
                + "raise the limit of open files (ulimit -n, LimitNOFILE=)",
            [("descriptors_for_rings", .integer(Int64(bound)))])
    }

    /// Opens descriptors for rings without one, if others have closed theirs.
    func shareOut(to rings: [RingDrain], held: @autoclosure () -> Int) {
        guard hasLogged else { return }
        let free = max(0, bound - held())
        for ring in rings.filter({ !$0.segment.holdsDescriptor }).prefix(free) { ring.segment.keepDescriptor() }
    }
}
