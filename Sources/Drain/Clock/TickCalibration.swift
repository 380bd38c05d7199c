internal import Platform
package import RingReader
package import Series

/// Converts this machine's ticks to nanoseconds of CLOCK_MONOTONIC. The rate is measured every second, and at once when
/// the two clocks diverge.
///
/// It also detects suspends, during which the ticks may have continued while CLOCK_MONOTONIC was stopped, and steps of
/// the wall clock, which affect only the times that are shown.
///
/// Records that were written before such a jump and read after it have ticks on the old scale. They count, but their
/// times are too early or too late for the windows (`ringside_misdated_records_total`).
///
/// Thread rule: one thread at a time. Cost: 35 ns a call, 3 us once a second.
package final class TickCalibration: TickScaleSource {
    package private(set) var generation = 0
    private let clocks: any MachineClocks
    private let bootID = Segment.Identifier.ofThisBoot()
    private var estimate: RateEstimate
    private var last: ClockReading
    private var next: MonotonicTime
    private var rejected = 0
    private var events: ClockJumpDetector
    /// The length of a tick when it was first known to 1e-8.
    private var firstNanosecondsPerTick: Double?

    package static let intervalNanoseconds: Int64 = 1_000_000_000
    /// The two clocks of a quick read may disagree by this much before all clocks are read, because the thread may have
    /// been interrupted between the two.
    private static let glanceTolerance: Int64 = 20_000
    /// A less certain reading is discarded and repeated at the next call, at most ``mostRejections`` times.
    private static let acceptableUncertainty: Int64 = 2_000
    private static let mostRejections = 5
    private static let firstRateSpan: Int64 = 10_000_000_000

    package init(clocks: any MachineClocks = SystemClocks()) {
        self.clocks = clocks
        let nanosecondsPerTick = clocks.kind == .monotonic ? 1 : 1e9 / clocks.ticksPerSecond()
        last = clocks.read()
        estimate = RateEstimate(last, nanosecondsPerTick: nanosecondsPerTick)
        events = ClockJumpDetector(last)
        next = last.monotonic + Self.intervalNanoseconds
    }

    private var isTickless: Bool { clocks.kind == .monotonic }

    /// Reads the clocks, and measures the rate if it is due or a clock has jumped. Must be called before records are
    /// read.
    ///
    /// - Returns: The changes of the clocks since the last call, each once.
    package func refresh() -> [ClockEvent] {
        let (ticks, monotonic) = clocks.glance()
        let isApart = !isTickless && (scale.monotonic(ticks) - monotonic).magnitude > Self.glanceTolerance
        guard monotonic >= next || isApart else { return [] }
        let reading = clocks.read()
        guard reading.uncertainty <= Self.acceptableUncertainty || rejected >= Self.mostRejections else {
            rejected += 1
            return []
        }
        rejected = 0
        return take(reading)
    }

    private func take(_ reading: ClockReading) -> [ClockEvent] {
        var found = events.note(reading)
        if !isTickless {
            if isEven(reading) {
                estimate.note(reading)
            } else {
                estimate.begin(with: reading)
                found.append(events.noteTickJump())
            }
            if firstNanosecondsPerTick == nil, estimate.span >= Self.firstRateSpan {
                firstNanosecondsPerTick = estimate.nanosecondsPerTick
            }
            generation += 1
        }
        last = reading
        next = reading.monotonic + Self.intervalNanoseconds
        return found
    }

    /// Returns whether the ticks continued with CLOCK_MONOTONIC since the last reading, to 1 ms and 0.1 % of the time
    /// between (0.002 % after a suspend). The kernel slews its clock by 0.05 % at the most. Ticks that differ by more
    /// were stopped, reset, or continued during a suspend.
    private func isEven(_ reading: ClockReading) -> Bool {
        let elapsed = reading.monotonic - last.monotonic
        let wasSuspended =
            ClockJumpDetector.suspended(reading) - ClockJumpDetector.suspended(last) > ClockJumpDetector.least
        let share = wasSuspended ? 2e-5 : 1e-3
        return (scale.monotonic(reading.ticks) - reading.monotonic).magnitude
            <= UInt64(Double(max(0, elapsed)) * share) + 1_000_000
    }

    /// The scale from this machine's ticks to nanoseconds, as measured last.
    package var scale: TickScale { isTickless ? .nanoseconds : estimate.scale }

    /// Returns the scale of a life's ticks. It is nil, for unknown, if the life has no clock, or if this machine does
    /// not have the life's clock and the producer did not store its rate.
    package func scale(of life: Life, in segment: Segment) -> TickScale? {
        let isThisBoot = segment.bootID == bootID
        if isThisBoot && life.clock == .monotonic { return .nanoseconds }
        if isThisBoot && life.clock == clocks.kind { return scale }
        let ticksPerSecond = segment.ticksPerSecond
        guard life.clock != .none, ticksPerSecond > 0 else { return nil }
        // Ticks of another boot have the same length; their times are before every window.
        return TickScale(
            originTicks: life.anchorTicks,
            originNanoseconds: isThisBoot ? Int64(clamping: life.anchorMonotonicNanoseconds) : -(1 << 60),
            nanosecondsPerTick: 1e9 / Double(ticksPerSecond))
    }

    /// The clock's state, for a snapshot.
    package var snapshot: ClockSnapshot {
        let drift = firstNanosecondsPerTick.map { estimate.nanosecondsPerTick / $0 - 1 }
        return events.snapshot(source: clocks.kind.name, driftRatio: isTickless ? 0 : drift)
    }
}
