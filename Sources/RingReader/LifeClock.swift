/// Converts the ticks of one life to moments and durations.
package struct LifeClock: Equatable, Sendable {
    /// Where the figure of ticks a second comes from.
    package enum Source: String, Sendable {
        /// The clock's tick is a nanosecond.
        case nanoseconds
        /// This machine's clocks against those of the life's anchor: exact to a few nanoseconds over the life.
        case measured
        /// The clocks of the capturing machine at the capture, against those of the life's anchor: as exact.
        case captured
        /// The header: exact to some 1e-5 where the producer had just started.
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

    /// The length of that many ticks.
    package func seconds(ofTicks ticks: UInt64) -> Double { Double(ticks) / ticksPerSecond }

    /// The time at `ticks`, in Unix nanoseconds; saturates where 64 bits do not hold it.
    package func unixNanoseconds(atTicks ticks: UInt64) -> Int64 {
        let sinceAnchor = Double(Int64(bitPattern: ticks &- anchorTicks)) / ticksPerSecond * 1e9
        let offset = sinceAnchor.magnitude < 9e18 ? Int64(sinceAnchor.rounded()) : sinceAnchor < 0 ? .min : .max
        let (sum, overflow) = Int64(clamping: anchorUnixNanoseconds).addingReportingOverflow(offset)
        return overflow ? (offset < 0 ? .min : .max) : sum
    }
}

extension Segment {
    /// The clock of a life of this segment; nil where the length of a tick is unknown. For a capture it is the same on
    /// every machine.
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
