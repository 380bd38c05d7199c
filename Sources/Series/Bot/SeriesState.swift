/// What of one series of a bot is kept across a restart of the collector: its place among the bot's series, and its totals.
/// Windows, rates and the values of gauges are not: they are filled anew.
package struct SeriesState: Sendable, Equatable {
    package var metric: MetricDescriptor
    /// See ``SeriesHead/ordinal``.
    package var ordinal: UInt64
    /// Since when the totals count, in seconds since the Unix epoch.
    package var createdUnixSeconds: Double
    /// The same of what a histogram's cells count.
    package var cellsCreatedUnixSeconds: Double
    /// Nil for every other kind.
    package var histogram: HistogramState?
    /// What each lane has in it.
    package var parts: [Part]

    package struct Part: Sendable, Equatable {
        package var lane: String
        /// What rings before the lane's last one counted.
        package var carried: CellTotals
        /// What the cell of the lane's last ring said when it was read last.
        package var live: CellTotals
        /// A histogram's records that are in the totals and in no window.
        package var late: UInt64
        package var future: UInt64

        package init(lane: String, carried: CellTotals, live: CellTotals, late: UInt64, future: UInt64) {
            self.lane = lane
            self.carried = carried
            self.live = live
            self.late = late
            self.future = future
        }
    }

    package init(
        metric: MetricDescriptor, ordinal: UInt64, createdUnixSeconds: Double, cellsCreatedUnixSeconds: Double? = nil,
        histogram: HistogramState?, parts: [Part]
    ) {
        self.metric = metric
        self.ordinal = ordinal
        self.createdUnixSeconds = createdUnixSeconds
        self.cellsCreatedUnixSeconds = cellsCreatedUnixSeconds ?? createdUnixSeconds
        self.histogram = histogram
        self.parts = parts
    }
}

/// What the cell of a counter or a histogram said.
package struct CellTotals: Sendable, Equatable {
    /// A counter's total, or a histogram's calls; nil before the first sample.
    package var first: Number?
    /// A histogram's abandoned spans.
    package var second: UInt64

    package init(first: Number? = nil, second: UInt64 = 0) {
        self.first = first
        self.second = second
    }
}
