/// The last traced records of one histogram, one a bucket or nearly so: what exports show as exemplars.
///
/// Records are told apart by octave and by the edges that were chosen, which is as fine as any classic bucket. There are 64
/// places; where two buckets share one, the later record has it. Takes no memory before the first traced record (1.5 KB
/// then) and no time for records without a trace.
///
/// Thread rule: that of the series.
final class ExemplarStore {
    /// The edges that were chosen for the histogram's classic buckets, ascending.
    var edges: [Double] = []
    private var places: [Exemplar] = []

    private struct Exemplar {
        var value = 0.0
        var time: Int64 = 0
        /// 0 where there is none.
        var traceID: UInt64 = 0
    }

    private static let placeCount = 64

    /// Takes note of a record.
    ///
    /// - Parameters:
    ///   - value: not NaN.
    ///   - time: when it happened, on the series' clock.
    func note(value: Double, time: Int64, traceID: UInt64) {
        if places.isEmpty { places = Array(repeating: Exemplar(), count: Self.placeCount) }
        let place = place(of: value)
        // Lanes are drained in turn: what came later may have happened earlier.
        guard places[place].traceID == 0 || places[place].time <= time else { return }
        places[place] = Exemplar(value: value, time: time, traceID: traceID)
    }

    private func place(of value: Double) -> Int {
        let interval = edges.firstIndex { value <= $0 } ?? edges.count
        // 41 keeps the intervals of one octave, and the octaves of durations, apart.
        return (octave(of: value) &+ 41 &* interval) & (Self.placeCount - 1)
    }

    /// The k of (2^(k-1), 2^k], mirrored for negative values; those of zero and of the smallest octave are one.
    private func octave(of value: Double) -> Int {
        guard value != 0 else { return -1074 }
        let octave =
            value.isInfinite ? 1025 : value.magnitude.significand == 1 ? Int(value.exponent) : Int(value.exponent) + 1
        return value < 0 ? ~octave : octave
    }

    /// The latest record of each bucket, ascending by value.
    ///
    /// - Parameter buckets: the buckets' upper edges, ascending; one without an end follows the last.
    func snapshots(buckets: [ClassicBucket]) -> [ExemplarSnapshot] {
        guard !places.isEmpty else { return [] }
        let known = places.filter { $0.traceID != 0 }.sorted { $0.value < $1.value }
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
