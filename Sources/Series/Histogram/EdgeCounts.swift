internal import Sketch

/// How many values of a histogram lie at or below one edge.
package struct EdgeCount: Sendable, Equatable {
    package var edge: Double
    package var cumulativeCount: UInt64

    package init(edge: Double, cumulativeCount: UInt64) {
        self.edge = edge
        self.cumulativeCount = cumulativeCount
    }
}

/// Values of one histogram between edges that somebody chose, over all lanes.
///
/// A value is counted where it is inserted, as thresholds are, so that an edge anywhere between two of the sketch's own is
/// exact from the moment on at which it is chosen.
final class EdgeCounts {
    /// Ascending and finite.
    let edges: [Double]
    /// Values at or below each edge before it was counted here.
    private let earlier: [UInt64]
    /// Values since, in the interval that ends with each edge; the last one has no end.
    let intervals: UnsafeMutablePointer<UInt64>

    /// - Parameter counts: ascending by edge; where each begins.
    init(_ counts: [EdgeCount]) {
        edges = counts.map(\.edge)
        earlier = counts.map(\.cumulativeCount)
        intervals = .allocate(capacity: counts.count + 1)
        intervals.initialize(repeating: 0, count: counts.count + 1)
    }

    deinit { intervals.deallocate() }

    /// What each edge has come to.
    var counts: [EdgeCount] {
        var since: UInt64 = 0
        return edges.indices.map { place in
            since &+= intervals[place]
            return EdgeCount(edge: edges[place], cumulativeCount: earlier[place] &+ since)
        }
    }
}

/// The same edges in each form in which a record's value comes: where one lane's records are counted.
///
/// Cost: some 2 ns and 1 ns more for each doubling of the number of edges.
struct EdgeLadder: ~Copyable {
    private let count: Int
    private let values: UnsafeMutablePointer<Double>
    /// The largest whole number of nanoseconds that is not above each edge.
    private let nanoseconds: UnsafeMutablePointer<Int64>
    /// The same in the units of `beginEpoch`.
    private let units: UnsafeMutablePointer<Int64>
    // Belongs to the EdgeCounts that whoever owns this keeps.
    private let intervals: UnsafeMutablePointer<UInt64>?

    init(_ counts: EdgeCounts?) {
        let edges = counts?.edges ?? []
        count = edges.count
        values = .allocate(capacity: count)
        nanoseconds = .allocate(capacity: count)
        units = .allocate(capacity: count)
        intervals = counts?.intervals
        for (place, edge) in edges.enumerated() {
            (values + place).initialize(to: edge)
            (nanoseconds + place).initialize(to: ThresholdLimit.limit(edge, valuePerUnit: 1e-9))
            (units + place).initialize(to: 0)
        }
    }

    deinit {
        values.deallocate()
        nanoseconds.deallocate()
        units.deallocate()
    }

    func beginEpoch(valuePerUnit: Double) {
        for place in 0..<count { units[place] = ThresholdLimit.limit(values[place], valuePerUnit: valuePerUnit) }
    }

    @inline(__always)
    func count(units value: Int64, weight: UInt64) { count(value, units, weight) }

    @inline(__always)
    func count(nanoseconds value: Int64, weight: UInt64) { count(value, nanoseconds, weight) }

    @inline(__always)
    func count(value: Double, weight: UInt64) { count(value, values, weight) }

    @inline(__always)
    private func count<Value: Comparable>(_ value: Value, _ edges: UnsafeMutablePointer<Value>, _ weight: UInt64) {
        guard let intervals else { return }
        var (first, length) = (0, count)
        while length > 0 {
            let half = length / 2
            let isAbove = edges[first + half] < value
            first = isAbove ? first + half + 1 : first
            length = isAbove ? length - half - 1 : half
        }
        intervals[first] &+= weight
    }
}

/// The classic buckets' edges that a histogram is to have.
package struct EdgeChoice: Sendable, Equatable {
    /// Ascending, finite, each once.
    package var edges: [Double]
    /// Whether there are no others; else the powers of two stand among them.
    package var areAll: Bool

    package init(edges: [Double], areAll: Bool) {
        self.edges = edges
        self.areAll = areAll
    }
}
