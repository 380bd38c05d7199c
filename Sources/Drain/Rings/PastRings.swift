internal import RingReader

/// Earlier rings whose records are in the totals, so that a copy of one is not read again. Beyond the limit the oldest
/// are removed.
struct PastRings {
    private var known: Set<Segment.Identifier>
    /// The identities in the order in which the rings ended.
    private(set) var newest: [Segment.Identifier]
    /// The number of rings ever added.
    private(set) var count: Int

    static let limit = 4096

    init(_ rings: [Segment.Identifier] = []) {
        newest = rings
        known = Set(rings)
        count = rings.count
    }

    func contains(_ ring: Segment.Identifier) -> Bool { known.contains(ring) }

    mutating func insert(_ ring: Segment.Identifier) {
        guard known.insert(ring).inserted else { return }
        newest.append(ring)
        count += 1
        if newest.count > Self.limit { known.remove(newest.removeFirst()) }
    }
}
