/// Converts the ticks of one life to moments and durations.
package struct LifeClock: Equatable, Sendable {
    /// The origin of the rate in ticks a second.
    package enum Source: String, Sendable {
        /// The clock's tick is a nanosecond.
        case nanoseconds
        /// The comparison of this machine's clocks with the life's anchor: exact to a few nanoseconds over the life.
        case measured
        /// The comparison of the capturing machine's clocks at the capture with the life's anchor: equally exact.
        case captured
        /// The header: exact to some 1e-5 if the producer had just started.
        case header
    }

    package let ticksPerSecond: Double
    package let source: Source
    private let anchorTicks: UInt64
    private let anchorUnixNanoseconds: UInt64

    package init(
        ticksPerSecond: Double, source: Source, anchorTicks: UInt64, anchorUnixNanoseconds: UInt64
    ) {
        self.ticksPerSecond = ticksPerSecond
        self.source = source
        self.anchorTicks = anchorTicks
        self.anchorUnixNanoseconds = anchorUnixNanoseconds
    }

    /// Returns the length of a number of ticks, in seconds.
    package func seconds(ofTicks ticks: UInt64) -> Double { Double(ticks) / ticksPerSecond }

    /// Returns the time at `ticks`, in Unix nanoseconds. It saturates if 64 bits are not enough.
    package func unixNanoseconds(atTicks ticks: UInt64) -> Int64 {
        let sinceAnchor = Double(Int64(bitPattern: ticks &- anchorTicks)) / ticksPerSecond * 1e9
        let offset = sinceAnchor.magnitude < 9e18 ? Int64(sinceAnchor.rounded()) : sinceAnchor < 0 ? .min : .max
        let (sum, overflow) = Int64(clamping: anchorUnixNanoseconds).addingReportingOverflow(offset)
        return overflow ? (offset < 0 ? .min : .max) : sum
    }
}

extension Segment {
    /// Returns the clock of a life of this segment; nil if the length of a tick is unknown. For a capture it is the
    /// same on every machine.
    ///
    /// May wait 5 ms, once a process, for this machine's clock to be measured.
    package func clock(of life: Life) -> LifeClock? {
        func clock(_ ticksPerSecond: Double, _ source: LifeClock.Source) -> LifeClock {
            LifeClock(
                ticksPerSecond: ticksPerSecond, source: source, anchorTicks: life.anchorTicks,
                anchorUnixNanoseconds: life.anchorUnixNanoseconds)
        }
        if life.clock == .monotonic { return clock(1e9, .nanoseconds) }
        let reference = capture?.clocks ?? .now()
        if bootID == reference.bootID, let measured = reference.ticksPerSecond(since: life) {
            return clock(measured, capture == nil ? .measured : .captured)
        }
        return ticksPerSecond == 0 ? nil : clock(Double(ticksPerSecond), .header)
    }
}
