internal import Drain
internal import CBench
internal import RingReader

/// Our side of a comparison.
enum OwnCall: String, Sendable {
    case value
    case timedValue = "timed_value"
    case counter
    // What the machine itself takes for the like.
    case stores
    case clockAndStores = "clock_and_stores"

    var floor: OwnCall { self == .timedValue ? .clockAndStores : .stores }
}

/// How often each call is made in a round.
struct PeerCounts: Sendable {
    var loop = 200_000
    var paced = 50_000
}

/// Our calls, measured in the same way as the peers measure theirs, with the reader that comes every 50 us.
final class OwnCalls {
    private let subjects: Subjects
    private let partner: Partner
    private let bench: Bench
    private let counts: PeerCounts
    private let spacing = TickScale.ticks(nanoseconds: EmissionCounts.spacingNanoseconds)

    init(counts: PeerCounts) throws {
        Processors.pin(to: Processors.ours)
        subjects = try Subjects(in: ScratchDirectory())
        partner = Partner(ring: RingName("live")!, path: subjects.path(of: "live"))
        bench = Bench(counts: EmissionCounts(loop: counts.loop, paced: counts.paced, cold: 0))
        self.counts = counts
        ValueCall.loop(subjects.live, count: 2 * Subjects.capacityRecords)
        StoresFloor.loop(subjects.live, count: 2 * Subjects.capacityRecords)
    }

    deinit { partner.leave() }

    func roundTripNanoseconds() -> Double? { partner.roundTripNanoseconds() }

    /// One round of one call; the reader is out of the way afterwards.
    func measure(_ call: OwnCall) -> CallFigures {
        partner.take(call == call.floor ? .parked : .reading)
        defer { partner.take(.parked) }
        return switch call {
        case .value: measure(call, ValueCall.self)
        case .timedValue: measure(call, TimedValueCall.self)
        case .counter: measure(call, CounterCall.self)
        case .stores: measure(call, StoresFloor.self)
        case .clockAndStores: measure(call, ClockAndStoresFloor.self)
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
