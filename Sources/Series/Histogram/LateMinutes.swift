/// Late records, which are older than every window, by the minute of their own time. The history stores them.
///
/// Every snapshot contains them in batches. Each batch is repeated until it is known to be written, see
/// ``HistoryReceipt``. So the history stores each batch exactly once, and loses none within the capacity if writing
/// fails for a while. Beyond `capacity` minutes, further late records are only in the totals.
///
/// Thread rule: one thread at a time, that of the series. Memory: 16 bytes for each bucket in use of each minute of
/// each series.
package final class LateMinutes {
    /// The difference from a time on the series' clock to Unix time, in nanoseconds.
    package var unixOffsetNanoseconds: Int64 = 0
    private let receipt: HistoryReceipt
    private let capacity: Int
    private var batches: [LateBatch] = []
    private var lastBatch: UInt64 = 0
    private var released: UInt64 = 0
    /// The records since the last snapshot, by the number of the entrance.
    private var filling: [UInt64: LateSeries] = [:]
    private var lastEntrance: UInt64 = 0
    /// The number of minutes, over all series, in the batches and since.
    private var count = 0
    private var hasCalled = false

    /// - Parameter capacity: The greatest number of minutes over all series, more than 4.
    package init(receipt: HistoryReceipt, capacity: Int = 4096) {
        self.receipt = receipt
        self.capacity = capacity
    }

    /// - Parameter lane: The lane of a gauge; "" for series that are summed over lanes.
    func entrance(bot: String, _ metric: MetricDescriptor, lane: String = "") -> LateRecordSink {
        lastEntrance += 1
        return LateRecordSink(self, number: lastEntrance, empty: LateSeries(bot: bot, metric: metric, lane: lane))
    }

    /// Returns the batches that are not known to be written. The newest one has the records since the last snapshot.
    package func handOut() -> [LateBatch] {
        release()
        guard !filling.isEmpty else { return batches }
        lastBatch += 1
        batches.append(LateBatch(number: lastBatch, series: Array(filling.values)))
        filling = [:]
        return batches
    }

    fileprivate func add(_ value: LateMinute, to minute: Int64, of entrance: LateRecordSink) {
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

/// The entry for one series' late records. Thread rule: that of the series.
final class LateRecordSink {
    fileprivate let number: UInt64
    fileprivate let empty: LateSeries
    private let minutes: LateMinutes

    fileprivate init(_ minutes: LateMinutes, number: UInt64, empty: LateSeries) {
        self.minutes = minutes
        self.number = number
        self.empty = empty
    }

    /// Returns the minute since the Unix epoch of a time on the series' clock; nil if there is none.
    func minute(of time: Int64) -> Int64? {
        let (unix, isTooFar) = time.addingReportingOverflow(minutes.unixOffsetNanoseconds)
        return isTooFar || unix < 0 ? nil : unix / 60_000_000_000
    }

    func add(_ value: LateMinute, to minute: Int64) { minutes.add(value, to: minute, of: self) }
}
