internal import CRingside

/// A machine's three clocks, read together. With a life's anchor they tell how long a tick is.
package struct ClockReference: Equatable, Sendable {
    package let clock: Life.Clock
    package let ticks: UInt64
    package let monotonicNanoseconds: UInt64
    package let unixNanoseconds: UInt64
    /// As the process that read the clocks had measured them; an anchor that gives a far different figure is damaged.
    package let ticksPerSecond: Double
    /// The machine's boot: the clocks say nothing of any other boot.
    package let bootID: Segment.Identifier

    /// This machine's clocks now. Waits 5 ms, once a process, for the counter to be measured; then 2 us.
    package static func now() -> ClockReference {
        let kind = ringside_clock_kind()
        let ticksPerSecond = ringside_clock_ticks_per_second()
        let anchor = ringside_clock_anchor(kind)
        return ClockReference(
            clock: Life.Clock(rawValue: kind.rawValue) ?? .none, ticks: anchor.ticks,
            monotonicNanoseconds: anchor.monotonic_ns, unixNanoseconds: anchor.realtime_ns,
            ticksPerSecond: ticksPerSecond, bootID: .ofThisBoot())
    }

    /// Ticks a second from the anchor of a life of the same boot until these clocks were read. Nil where they cannot
    /// tell: another kind of clock, an anchor of a moment ago, or one that this clock cannot have made (a suspend in
    /// between, damage).
    func ticksPerSecond(since life: Life) -> Double? {
        guard clock != .none, clock == life.clock else { return nil }
        let nanoseconds = Int64(bitPattern: monotonicNanoseconds &- life.anchorMonotonicNanoseconds)
        guard nanoseconds > 10_000_000 else { return nil }
        let measured = Double(Int64(bitPattern: ticks &- life.anchorTicks)) / Double(nanoseconds) * 1e9
        return (measured / ticksPerSecond - 1).magnitude < 1e-3 ? measured : nil
    }

    /// Whether a life of the same boot had this clock, and the ticks have gone on evenly since its anchor: false where
    /// the machine and its counter were suspended, or where the anchor is damaged.
    func isOneClock(with life: Life) -> Bool {
        guard clock != .none, clock == life.clock else { return false }
        let seconds = Double(Int64(bitPattern: monotonicNanoseconds &- life.anchorMonotonicNanoseconds)) * 1e-9
        let counted = Double(Int64(bitPattern: ticks &- life.anchorTicks)) / ticksPerSecond
        return (counted - seconds).magnitude < 1e-4 + seconds.magnitude * 1e-3
    }
}
