/// The minutes that late records belong to, those older than every window, beside the series whose totals they are in: for
/// whoever keeps minutes.
///
/// They go out with every snapshot in batches, each batch until it is said to be written, see ``LateReceipt``. So whoever
/// writes them takes each exactly once, and a writer that fails for a while loses none that there is room for. Beyond
/// `capacity` minutes further ones are in the totals alone.
///
/// Thread rule: one thread at a time, that of the series. Memory: of each minute of each series its buckets in use, 16 bytes
/// each.
package final class LateMinutes {
    /// What makes Unix time of a time on the series' clock, in nanoseconds.
    package var unixOffsetNanoseconds: Int64 = 0
    private let receipt: LateReceipt
    private let capacity: Int
    private var batches: [LateBatch] = []
    private var lastBatch: UInt64 = 0
    private var released: UInt64 = 0
    /// What came since the last snapshot, by the number of the entrance.
    private var filling: [UInt64: LateSeries] = [:]
    private var lastEntrance: UInt64 = 0
    /// Minutes of series, in the batches and since.
    private var count = 0
    private var hasCalled = false

    /// - Parameter capacity: minutes of series that are kept, more than 4.
    package init(receipt: LateReceipt, capacity: Int = 4096) {
        self.receipt = receipt
        self.capacity = capacity
    }

    /// - Parameter lane: of a gauge; "" for what is summed over lanes.
    func entrance(bot: String, _ metric: MetricDescriptor, lane: String = "") -> LateEntrance {
        lastEntrance += 1
        return LateEntrance(self, number: lastEntrance, empty: LateSeries(bot: bot, metric: metric, lane: lane))
    }

    /// The batches that are not known to be written, what came since the last snapshot as the newest.
    package func handOut() -> [LateBatch] {
        release()
        guard !filling.isEmpty else { return batches }
        lastBatch += 1
        batches.append(LateBatch(number: lastBatch, series: Array(filling.values)))
        filling = [:]
        return batches
    }

    fileprivate func add(_ value: LateMinute, to minute: Int64, of entrance: LateEntrance) {
        release()
        if filling[entrance.number]?.minutes[minute]?.merge(value) != nil { return }
        guard count < capacity else { return }
        filling[entrance.number, default: entrance.empty].minutes[minute] = value
        count += 1
        if count > capacity / 4, !hasCalled {
            hasCalled = true
            receipt.call()
        }
    }

    private func release() {
        let written = receipt.writtenBatch
        guard written > released else { return }
        released = written
        batches.removeAll { $0.number <= written }
        count = batches.reduce(Self.count(filling.values)) { $0 + Self.count($1.series) }
        hasCalled = false
    }

    private static func count(_ series: some Sequence<LateSeries>) -> Int {
        series.reduce(0) { $0 + $1.minutes.count }
    }
}

/// The way of one series' late records. Thread rule: that of the series.
final class LateEntrance {
    fileprivate let number: UInt64
    fileprivate let empty: LateSeries
    private let minutes: LateMinutes

    fileprivate init(_ minutes: LateMinutes, number: UInt64, empty: LateSeries) {
        self.minutes = minutes
        self.number = number
        self.empty = empty
    }

    /// The minute since the Unix epoch that a time on the series' clock lies in; nil where there is none.
    func minute(of time: Int64) -> Int64? {
        let (unix, isTooFar) = time.addingReportingOverflow(minutes.unixOffsetNanoseconds)
        return isTooFar || unix < 0 ? nil : unix / 60_000_000_000
    }

    func add(_ value: LateMinute, to minute: Int64) { minutes.add(value, to: minute, of: self) }
}
