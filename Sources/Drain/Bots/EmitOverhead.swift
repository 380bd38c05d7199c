internal import Platform
internal import Series

/// What a bot's telemetry costs it at most, as a share of one core's time, over the last whole second.
///
/// By what the ring counts anyway and what its producer measured at attach: each call of a histogram of durations is taken for
/// a whole span, which reads the clock twice, and each other record for a value with its time. Counters and plain gauges leave
/// no trace of how often they are called, and are not in it.
struct EmitOverhead {
    /// What a ring has counted so far; each wraps.
    struct Counts {
        /// Calls of histograms whose records are in ticks.
        var durations: UInt64 = 0
        /// Calls of all other histograms.
        var values: UInt64 = 0
        var position: UInt64 = 0
        var sampledOut: UInt64 = 0
    }

    /// Nil before a whole second has been watched.
    private(set) var ratio: Double?
    private var base: (counts: Counts, time: MonotonicTime)?

    static let intervalNanoseconds: Int64 = 1_000_000_000

    /// - Parameter costs: Picoseconds a call, as a life has them; empty where none can be read.
    mutating func sample(_ counts: Counts, costs: @autoclosure () -> [UInt32], now: MonotonicTime) {
        guard let base else { return self.base = (counts, now) }
        let elapsed = now - base.time
        guard elapsed >= Self.intervalNanoseconds else { return }
        self.base = (counts, now)
        ratio = picoseconds(from: base.counts, to: counts, costs()).map { $0 / (Double(elapsed) * 1000) }
    }

    /// Nil where the figures cannot be a producer's.
    private func picoseconds(from old: Counts, to new: Counts, _ costs: [UInt32]) -> Double? {
        let calls = [new.durations &- old.durations, new.values &- old.values]
        let written = new.position &- old.position
        guard costs.count > Call.span, (calls + [written]).allSatisfy({ Int64(bitPattern: $0) >= 0 }) else {
            return nil
        }
        // What no histogram wrote are changes of gauges.
        let samples = calls[0] &+ calls[1] &- (new.sampledOut &- old.sampledOut)
        let changes = max(0, Int64(bitPattern: written &- samples))
        return Double(calls[0]) * Double(costs[Call.span])
            + (Double(calls[1]) + Double(changes)) * Double(costs[Call.timedValue])
    }

    /// As in `enum ringside_call`.
    private enum Call {
        static let timedValue = 3
        static let span = 4
    }
}
