internal import RingReader

/// Rings that were let go: what they held is in the totals, and a copy of one must not be read again. The oldest of very many
/// are forgotten.
struct PastRings {
    private var known: Set<Segment.Identifier>
    /// In the order in which they went.
    private(set) var newest: [Segment.Identifier]
    /// How many there ever were.
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
