internal import Drain
/// The exact count of each duration, in ticks: percentiles of millions of single calls in a few pages.
struct TickCounts: Sendable {
    private var counts = [UInt32](repeating: 0, count: 16_384)
    /// The durations that are longer than the table.
    private var longer: [UInt32] = []
    private(set) var total = 0

    mutating func add(_ samples: UnsafeBufferPointer<UInt32>) {
        for sample in samples {
            if sample < counts.count { counts[Int(sample)] += 1 } else { longer.append(sample) }
        }
        longer.sort()
        total += samples.count
    }

    /// Returns the ceil(q·n)-th smallest duration, as the collector's own quantiles; nil if there is none.
    func quantile(_ q: Double) -> UInt32? {
        guard total > 0 else { return nil }
        var rank = max(1, min(total, Int((q * Double(total)).rounded(.up))))
        for (ticks, count) in counts.enumerated() {
            rank -= Int(count)
            if rank <= 0 { return UInt32(ticks) }
        }
        return longer[rank - 1]
    }

    var greatest: UInt32? { longer.last ?? counts.lastIndex { $0 > 0 }.map(UInt32.init) }
}

/// Durations of single calls in nanoseconds, less the cost of the bracket.
struct Latency: Sendable {
    let mean: Double
    let p50, p99, p999, p9999, worst: Double

    /// - Parameters:
    ///   - counts: All calls of all rounds, brackets included, in ticks.
    ///   - mean: The mean of the calls alone, in nanoseconds: the median of the rounds.
    ///   - bracket: The median of empty brackets, in ticks.
    init(_ counts: TickCounts, mean: Double, bracket: UInt32) {
        func without(_ ticks: UInt32?) -> Double {
            ticks.map { TickScale.nanoseconds(max(0, Double($0) - Double(bracket))) } ?? .nan
        }
        self.mean = mean
        p50 = without(counts.quantile(0.5))
        p99 = without(counts.quantile(0.99))
        p999 = without(counts.quantile(0.999))
        p9999 = without(counts.quantile(0.9999))
        worst = without(counts.greatest)
    }
}
