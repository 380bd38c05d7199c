/// The state of one series in a checkpoint: its number among the bot's series, and its totals. Windows, rates and the
/// values of gauges are not stored; they begin again after a restart.
package struct SeriesState: Sendable, Equatable {
    package var metric: MetricDescriptor
    /// See ``SeriesHead/ordinal``.
    package var ordinal: UInt64
    /// The time from which the totals count, in seconds since the Unix epoch.
    package var createdUnixSeconds: Double
    /// The time from which the counts of a histogram's cells count, in seconds since the Unix epoch.
    package var cellsCreatedUnixSeconds: Double
    /// Nil for all other kinds.
    package var histogram: HistogramState?
    /// The part of each lane.
    package var parts: [Part]

    package struct Part: Sendable, Equatable {
        package var lane: String
        /// The counts of rings before the lane's last one.
        package var carried: CellTotals
        /// The last value of the cell in the lane's last ring.
        package var live: CellTotals
        /// A histogram's records that are in the totals but in no window.
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

/// The value of a counter's or a histogram's cell.
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

/// The change of one series since its state, or the previous change, was stored.
package struct SeriesChange: Sendable, Equatable {
    package var histogram: HistogramChange
    /// The current values.
    package var parts: [SeriesState.Part]

    package init(histogram: HistogramChange, parts: [SeriesState.Part]) {
        self.histogram = histogram
        self.parts = parts
    }
}

extension SeriesState {
    /// Adds a later change. Only histograms have such changes.
    package mutating func add(_ change: SeriesChange) {
        histogram?.add(change.histogram)
        parts = change.parts
    }
}
