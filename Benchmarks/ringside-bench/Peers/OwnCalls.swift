internal import CBench
internal import Drain
internal import RingReader

/// Our side of a comparison.
enum OwnCall: String, Sendable {
    case value
    case timedValue = "timed_value"
    case counter
    /// A value into a sketch of the collector.
    case sketch
    /// A snapshot of 1,000 histograms as Prometheus' text, by histogram.
    case render
    /// Minutes of series written into the history, by minute.
    case history
    // The next ones are the best C that does the same work as a call of a bot.
    case valueFloor = "value_floor"
    case lapFloor = "lap_floor"
    case counterFloor = "counter_floor"
    case sketchFloor = "sketch_floor"

    /// Nil if the least possible cost is not known.
    var floor: OwnCall? {
        switch self {
        case .value, .valueFloor: .valueFloor
        case .timedValue, .lapFloor: .lapFloor
        case .counter, .counterFloor: .counterFloor
        case .sketch, .sketchFloor: .sketchFloor
        case .render, .history: nil
        }
    }
}

/// The number of calls of each kind in a round.
struct PeerCounts: Sendable {
    var loop = 200_000
    var paced = 50_000
}

/// Our calls, measured in the same way as the peers' calls, with the reader that comes every 50 us.
final class OwnCalls {
    private let subjects: Subjects
    private let partner: Partner
    private let bench: Bench
    private let counts: PeerCounts
    private let batches: BatchCalls
    private let spacing = TickScale.ticks(nanoseconds: EmissionCounts.spacingNanoseconds)

    init(counts: PeerCounts) throws {
        Processors.pin(to: Processors.ours)
        subjects = try Subjects(in: ScratchDirectory())
        partner = Partner(rings: subjects.readRings)
        batches = try BatchCalls(counts: counts)
        bench = Bench(counts: EmissionCounts(loop: counts.loop, paced: counts.paced, cold: 0))
        self.counts = counts
        ValueCall.loop(subjects.live, count: 2 * Subjects.capacityRecords)
        ValueFloor.loop(subjects.live, count: 2 * Subjects.capacityRecords)
    }

    deinit { partner.leave() }

    func roundTripNanoseconds() -> Double? { partner.roundTripNanoseconds() }

    /// Measures one round of one call. The reader is parked afterwards.
    func measure(_ call: OwnCall) throws -> CallFigures {
        if let batch = try batches.measure(call) { return batch }
        partner.take(.reading)
        defer { partner.take(.parked) }
        return switch call {
        case .value: measure(call, ValueCall.self)
        case .timedValue: measure(call, TimedValueCall.self)
        case .counter: measure(call, CounterCall.self)
        case .valueFloor: measure(call, ValueFloor.self)
        case .lapFloor: measure(call, LapFloor.self)
        case .counterFloor: measure(call, CounterFloor.self)
        case .sketch, .sketchFloor, .render, .history: preconditionFailure("it is made in batches")
        }
    }

    @inline(__always)
    private func measure<Call: EmissionCall>(_ own: OwnCall, _ call: Call.Type) -> CallFigures {
        let samples = UnsafeMutableBufferPointer(rebasing: bench.samples[..<counts.paced])
        EmptyBracket.paced(into: samples, spacing: spacing)
        let bracketMean = mean(samples)
        let bracket = counted(samples).quantile(0.5) ?? 0
        CallDriver<NothingCall>.paced(subjects.live, into: samples, spacing: spacing)
        let empty = mean(samples) - bracketMean
        CallDriver<Call>.paced(subjects.live, into: samples, spacing: spacing)
        let latency = Latency(counted(samples), mean: mean(samples) - bracketMean, bracket: bracket)
        let loop = TickScale.nanoseconds(CallDriver<Call>.loop(subjects.live, count: counts.loop))
        return CallFigures(
            name: own.rawValue, loop: loop, mean: latency.mean, p50: latency.p50, p99: latency.p99, p999: latency.p999,
            empty: empty, refused: 0)
    }

    private func mean(_ samples: UnsafeMutableBufferPointer<UInt32>) -> Double {
        TickScale.nanoseconds(meanOfSlices(UnsafeBufferPointer(samples), sliceLength: min(1000, samples.count / 5)))
    }

    private func counted(_ samples: UnsafeMutableBufferPointer<UInt32>) -> TickCounts {
        var counts = TickCounts()
        counts.add(UnsafeBufferPointer(samples))
        return counts
    }
}
