internal import CRingside

/// A machine's three clocks, read together. With a life's anchor they give the length of a tick.
package struct ClockReference: Equatable, Sendable {
    package let clock: Life.Clock
    package let ticks: UInt64
    package let monotonicNanoseconds: UInt64
    package let unixNanoseconds: UInt64
    /// The rate that the process that read the clocks had measured. If an anchor gives a far different rate, it is
    /// damaged.
    package let ticksPerSecond: Double
    /// The machine's boot. The clocks cannot be compared with those of another boot.
    package let bootID: Segment.Identifier

    /// Reads this machine's clocks. Waits 5 ms, once a process, for the counter to be measured; later calls cost 2 us.
    package static func now() -> ClockReference {
        let kind = ringside_clock_kind()
        let ticksPerSecond = ringside_clock_ticks_per_second()
        let anchor = ringside_clock_anchor(kind)
        return ClockReference(
            clock: Life.Clock(rawValue: kind.rawValue) ?? .none, ticks: anchor.ticks,
            monotonicNanoseconds: anchor.monotonic_ns, unixNanoseconds: anchor.realtime_ns,
            ticksPerSecond: ticksPerSecond, bootID: .ofThisBoot())
    }

    /// Returns the ticks a second from the anchor of a life of the same boot until these clocks were read. Returns nil
    /// if the anchor does not give the rate: it is of another kind of clock or less than 10 ms old, or this clock
    /// cannot have made it (a suspend in between, damage).
    func ticksPerSecond(since life: Life) -> Double? {
        guard clock != .none, clock == life.clock else { return nil }
        let nanoseconds = Int64(bitPattern: monotonicNanoseconds &- life.anchorMonotonicNanoseconds)
        guard nanoseconds > 10_000_000 else { return nil }
        let measured = Double(Int64(bitPattern: ticks &- life.anchorTicks)) / Double(nanoseconds) * 1e9
        return (measured / ticksPerSecond - 1).magnitude < 1e-3 ? measured : nil
    }

    /// Returns whether a life of the same boot had this clock, and the ticks have continued evenly since its anchor.
    /// Returns false if the machine and its counter were suspended, or the anchor is damaged.
    func isOneClock(with life: Life) -> Bool {
        guard clock != .none, clock == life.clock else { return false }
        let seconds = Double(Int64(bitPattern: monotonicNanoseconds &- life.anchorMonotonicNanoseconds)) * 1e-9
        let counted = Double(Int64(bitPattern: ticks &- life.anchorTicks)) / ticksPerSecond
        return (counted - seconds).magnitude < 1e-4 + seconds.magnitude * 1e-3
    }
}
