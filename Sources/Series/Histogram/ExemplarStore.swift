/// The last traced records of one histogram, about one for each bucket, which exports show as exemplars.
///
/// The edges of the classic buckets distinguish the records. There are 64 places. If two buckets share one, the later
/// record has it; among the standard edges these are 21 powers of ten apart. The store takes no memory before the first
/// traced record (then 2 KB), and no time for records without a trace.
///
/// Thread rule: that of the series.
final class ExemplarStore {
    /// The edges of the histogram's classic buckets, ascending.
    var edges: [Double]
    private var places: [Exemplar] = []

    private struct Exemplar {
        var value = 0.0
        var time: Int64 = 0
        /// 0 if there is none.
        var traceID = TraceID(high: 0, low: 0)
    }

    private static let placeCount = 64

    init(edges: [Double]) { self.edges = edges }

    /// Adds a record.
    ///
    /// - Parameters:
    ///   - value: Not NaN.
    ///   - time: The time of the record on the series' clock.
    func note(value: Double, time: Int64, traceID: TraceID) {
        if places.isEmpty { places = Array(repeating: Exemplar(), count: Self.placeCount) }
        let place = place(of: value)
        // Lanes are drained in turn, so a record that is read later may be older.
        guard places[place].traceID.isZero || places[place].time <= time else { return }
        places[place] = Exemplar(value: value, time: time, traceID: traceID)
    }

    private func place(of value: Double) -> Int {
        var (first, length) = (0, edges.count)
        while length > 0 {
            let half = length / 2
            let isAbove = edges[first + half] < value
            first = isAbove ? first + half + 1 : first
            length = isAbove ? length - half - 1 : half
        }
        return first & (Self.placeCount - 1)
    }

    /// Returns the latest record of each bucket, ascending by value.
    ///
    /// - Parameter buckets: The buckets' upper edges, ascending. A bucket without an upper edge follows the last.
    func snapshots(buckets: [ClassicBucket]) -> [ExemplarSnapshot] {
        guard !places.isEmpty else { return [] }
        let known = places.filter { !$0.traceID.isZero }.sorted { $0.value < $1.value }
        var latest: [Exemplar] = []
        var (bucket, last) = (0, -1)
        for exemplar in known {
            while bucket < buckets.count, buckets[bucket].upperBound < exemplar.value { bucket += 1 }
            if bucket != last {
                latest.append(exemplar)
            } else if exemplar.time > latest[latest.count - 1].time {
                latest[latest.count - 1] = exemplar
            }
            last = bucket
        }
        return latest.map { ExemplarSnapshot(value: $0.value, traceID: $0.traceID, timeNanoseconds: $0.time) }
    }
}
