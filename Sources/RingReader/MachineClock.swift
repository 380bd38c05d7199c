internal import CRingside

/// This machine's clock, which dates the records of all its bots in the same way. Rings that are dated by the anchors
/// of their own lives agree only to some 100 ns, and merged records would come out of order.
///
/// One instance serves all rings of a reader. Thread rule: one thread at a time.
package final class MachineClock {
    /// Increases with every new measurement.
    package private(set) var generation = 0
    private let first: ClockReference
    private var reference: ClockReference
    private var ticksPerSecond: Double

    /// The time for which one measurement is valid.
    private static let measurementNanoseconds: UInt64 = 1_000_000_000

    /// May wait 5 ms, once a process, for the clock to be measured.
    package init() {
        first = .now()
        reference = first
        ticksPerSecond = first.ticksPerSecond
    }

    /// The time now, in ticks.
    package var nowTicks: Int64 { Int64(clamping: ringside_ticks(reference.clock.rawValue)) }

    /// Measures again, once a second.
    ///
    /// - Parameter lives: Lives of rings of this machine. The longest of them gives the most exact tick length.
    package func refresh(monotonicNanoseconds now: UInt64, lives: @autoclosure () -> [Life]) {
        guard generation == 0 || now &- reference.monotonicNanoseconds >= Self.measurementNanoseconds else { return }
        reference = .now()
        generation += 1
        let longest = lives().filter { $0.anchorMonotonicNanoseconds < first.monotonicNanoseconds }
            .min { $0.anchorMonotonicNanoseconds < $1.anchorMonotonicNanoseconds }
        ticksPerSecond =
            longest.flatMap { reference.ticksPerSecond(since: $0) } ?? reference.ticksPerSecond
    }

    /// Returns the clock of a life; nil if its ticks are not this machine's.
    func clock(of life: Life, in segment: Segment) -> LifeClock? {
        guard segment.capture == nil, segment.bootID == reference.bootID, reference.isOneClock(with: life) else {
            return nil
        }
        return LifeClock(
            ticksPerSecond: ticksPerSecond, source: .measured, anchorTicks: reference.ticks,
            anchorUnixNanoseconds: reference.unixNanoseconds)
    }

    /// Returns the number of ticks in a number of nanoseconds.
    package func ticks(ofNanoseconds nanoseconds: Int64) -> Int64 {
        let ticks = (Double(nanoseconds) * 1e-9 * ticksPerSecond).rounded()
        return ticks.magnitude < 9e18 ? Int64(ticks) : ticks < 0 ? .min : .max
    }

    /// Returns the clock's ticks at a time in Unix nanoseconds, also before the clock began.
    package func ticks(atUnixNanoseconds time: Int64) -> Int64 {
        let (since, overflow) = time.subtractingReportingOverflow(Int64(clamping: reference.unixNanoseconds))
        if overflow { return .min }
        let (sum, isTooFar) = Int64(clamping: reference.ticks).addingReportingOverflow(ticks(ofNanoseconds: since))
        return isTooFar ? (since < 0 ? .min : .max) : sum
    }
}

extension MachineClock {
    /// The clock that bots on this machine use.
    package static var kind: Life.Clock { Life.Clock(rawValue: ringside_clock_kind().rawValue) ?? .none }

    /// Measures the cost of reading the clock once, here and now, in nanoseconds: the least of several rounds.
    package static func readCostNanoseconds() -> Double {
        let kind = ringside_clock_kind().rawValue
        let reads = 2000
        let rounds = (0..<5).map { _ in
            let start = ringside_monotonic_ns()
            var sum: UInt64 = 0
            for _ in 0..<reads { sum &+= ringside_ticks(kind) }
            // The sum is used, so that the compiler does not remove a read.
            return Double(ringside_monotonic_ns() - start + (sum == 0 ? 1 : 0)) / Double(reads)
        }
        return rounds.min() ?? 0
    }
}
