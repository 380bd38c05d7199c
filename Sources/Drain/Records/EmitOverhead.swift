internal import Platform
internal import Series

/// An upper bound of the time that a bot's telemetry costs it over the last whole second, as a share of one core's
/// time.
///
/// It is computed from the ring's counts, and from the costs that its producer measured at attach. Each call of a
/// histogram of durations counts as a whole span, which reads the clock twice; each other record counts as a value with
/// its time. A counter without a unit increases by at least one with each call, so its increase bounds its calls. A
/// counter of bytes, seconds or money, an up-down counter and a plain gauge do not reveal the number of their calls,
/// and are not included.
struct EmitOverhead {
    /// The counts of a ring so far; each wraps around.
    struct Counts {
        /// The number of calls of histograms whose records are in ticks.
        var durations: UInt64 = 0
        /// The number of calls of all other histograms.
        var values: UInt64 = 0
        var position: UInt64 = 0
        var sampledOut: UInt64 = 0
        /// The increase of counters without a unit.
        var counters: UInt64 = 0
    }

    /// The share of calls of histograms, and of gauges that record every change; nil until a whole second has been
    /// watched.
    private(set) var ofRecords: Double?
    /// The share of calls of counters without a unit; nil until a whole second has been watched.
    private(set) var ofCounters: Double?
    private var base: (counts: Counts, time: MonotonicTime)?

    static let intervalNanoseconds: Int64 = 1_000_000_000

    /// - Parameter costs: Picoseconds a call, as the life measured them; empty if they cannot be read.
    mutating func sample(_ counts: Counts, costs: @autoclosure () -> [UInt32], now: MonotonicTime) {
        guard let base else { return self.base = (counts, now) }
        let elapsed = now - base.time
        guard elapsed >= Self.intervalNanoseconds else { return }
        self.base = (counts, now)
        let costs = costs()
        let picoseconds = Double(elapsed) * 1000
        ofRecords = Self.records(from: base.counts, to: counts, costs).map { $0 / picoseconds }
        ofCounters = Self.counters(from: base.counts, to: counts, costs).map { $0 / picoseconds }
    }

    /// Returns the cost of the calls in picoseconds; nil if the figures cannot come from a producer.
    private static func records(from old: Counts, to new: Counts, _ costs: [UInt32]) -> Double? {
        let calls = [new.durations &- old.durations, new.values &- old.values]
        let written = new.position &- old.position
        guard costs.count > Call.span, (calls + [written]).allSatisfy({ Int64(bitPattern: $0) >= 0 }) else {
            return nil
        }
        // Records that no histogram wrote are changes of gauges.
        let samples = calls[0] &+ calls[1] &- (new.sampledOut &- old.sampledOut)
        let changes = max(0, Int64(bitPattern: written &- samples))
        return Double(calls[0]) * Double(costs[Call.span])
            + (Double(calls[1]) + Double(changes)) * Double(costs[Call.timedValue])
    }

    private static func counters(from old: Counts, to new: Counts, _ costs: [UInt32]) -> Double? {
        guard costs.count > Call.counter else { return nil }
        return Double(new.counters &- old.counters) * Double(costs[Call.counter])
    }

    /// The values of `enum ringside_call`.
    private enum Call {
        static let counter = 0
        static let timedValue = 3
        static let span = 4
    }
}
