/// The configured edges of a histogram, and the buckets of a sketch that they cut.
///
/// The bucket of a value usually shows on which side of an edge the value is. If an edge cuts the bucket, each value in
/// it is compared with the edge as it is inserted (``EdgeCutCounts``). So any finite number can be an exact edge, at
/// the cost of one look into a bit set for each value. Immutable: histograms with the same edges share one.
package final class EdgeCuts: @unchecked Sendable {
    // Sendable: the bits are written before `init` returns, and never again.

    /// The edges: ascending, finite, without duplicates.
    package let edges: [Double]
    /// For each edge, the places of the magnitudes of its own sign whose values are compared with it.
    let places: [ClosedRange<Int>]
    /// A bit for each place of the positive values that `BucketLayout.isFine` accepts, from `lowestPlace` on.
    let bits: UnsafePointer<UInt64>
    /// The edges that cut a place.
    private let cutting: [Place: ClosedRange<Int>]

    private struct Place: Hashable {
        var isNegative: Bool
        var number: Int
    }

    private static let lowestPlace = -64 << BucketIndexer.scale
    private static let wordCount = (128 << BucketIndexer.scale) / 64 + 1

    /// No edges.
    package static let none = EdgeCuts([])

    /// - Parameter edges: Ascending, finite, without duplicates.
    package init(_ edges: [Double]) {
        self.edges = edges
        places = edges.map(Self.places)
        let bits = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.wordCount)
        bits.initialize(repeating: 0, count: Self.wordCount)
        var cutting: [Place: ClosedRange<Int>] = [:]
        for (index, edge) in edges.enumerated() where edge != 0 {
            for number in places[index] {
                let place = Place(isNegative: edge < 0, number: number)
                cutting[place] = (cutting[place]?.lowerBound ?? index)...index
                let offset = number - Self.lowestPlace
                if edge > 0, offset >= 0, offset >> 6 < Self.wordCount { bits[offset >> 6] |= 1 << UInt64(offset & 63) }
            }
        }
        self.cutting = cutting
        self.bits = UnsafePointer(bits)
    }

    deinit { bits.deallocate() }

    /// Returns the place of an edge, and the next place if the edge is the upper end of its bucket. The next one is
    /// included because rounding alone may put a value that is computed from ticks above the edge.
    private static func places(of edge: Double) -> ClosedRange<Int> {
        guard edge != 0 else { return 0...0 }
        let place = BucketLayout.place(ofBucket: BucketIndexer.shared.index(of: edge.magnitude))
        return place...(edge.magnitude.significand == 1 ? place + 1 : place)
    }

    /// Returns whether an edge cuts the bucket of a positive value.
    ///
    /// - Parameter place: The place of a value that `BucketLayout.isFine` accepts.
    @inline(__always)
    static func isCut(_ place: Int, _ bits: UnsafePointer<UInt64>) -> Bool {
        let offset = place &- lowestPlace
        return bits[offset >> 6] >> UInt64(truncatingIfNeeded: offset & 63) & 1 != 0
    }

    /// Returns the indices of the edges that cut the bucket of a value; nil if no edge does.
    func edges(cutting value: Double) -> ClosedRange<Int>? {
        guard value != 0, !cutting.isEmpty else { return nil }
        let number = BucketLayout.place(ofBucket: BucketIndexer.shared.index(of: value.magnitude))
        return cutting[Place(isNegative: value < 0, number: number)]
    }
}

/// The number of values at or below each edge, of those in the buckets that edges cut. Thread rule: its owner's.
package final class EdgeCutCounts {
    package let cuts: EdgeCuts
    /// The indices of the edges at which single values were counted since the last `takeRecent()`; nil if there were
    /// too many, or a value had a weight other than 1.
    private var recent: [UInt16]? = []
    private static let mostRecent = 32
    /// The counts by edge; nil while nothing was counted.
    private var counts: UnsafeMutablePointer<UInt64>?

    package init(_ cuts: EdgeCuts) { self.cuts = cuts }

    deinit { counts?.deallocate() }

    private func room() -> UnsafeMutablePointer<UInt64> {
        if let counts { return counts }
        let fresh = UnsafeMutablePointer<UInt64>.allocate(capacity: cuts.edges.count)
        fresh.initialize(repeating: 0, count: cuts.edges.count)
        counts = fresh
        return fresh
    }

    /// Counts a value if an edge cuts its bucket.
    ///
    /// - Parameter isWithin: Returns whether the value is at or below an edge.
    func note(_ value: Double, weight: UInt64, isWithin: (_ edge: Double) -> Bool) {
        guard let indices = cuts.edges(cutting: value) else { return }
        let counts = room()
        for index in indices where isWithin(cuts.edges[index]) {
            counts[index] &+= weight
            if weight == 1, let number = UInt16(exactly: index), (recent?.count ?? .max) < Self.mostRecent {
                recent?.append(number)
            } else {
                recent = nil
            }
        }
    }

    /// Returns the number of values counted at each edge since the last call, ascending by edge; nil if there were too
    /// many, or a value had a weight other than 1.
    package func takeRecent() -> [(edge: Double, count: UInt64)]? {
        defer { if recent?.isEmpty != true { recent = [] } }
        guard let recent else { return nil }
        var counted: [(edge: Double, count: UInt64)] = []
        var last: UInt16?
        for index in recent.sorted() {
            if index == last {
                counted[counted.count - 1].count += 1
            } else {
                counted.append((cuts.edges[Int(index)], 1))
            }
            last = index
        }
        return counted
    }

    /// The number of values at or below an edge, of those in the buckets that it cuts.
    package subscript(index: Int) -> UInt64 {
        get { counts.map { $0[index] } ?? 0 }
        set { if newValue != 0 || counts != nil { room()[index] = newValue } }
    }

    /// Memory in use in bytes, without the allocator's overhead.
    package var allocatedBytes: Int { counts == nil ? 0 : cuts.edges.count * MemoryLayout<UInt64>.stride }
}
