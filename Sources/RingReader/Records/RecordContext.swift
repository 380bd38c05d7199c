/// The data that a reader needs to interpret a ring's records: their metrics, and the clocks of the lives that wrote
/// them. It is copied out of the segment once for many records.
package struct RecordContext {
    /// A life, and its clock if that is known.
    package struct ClockedLife: Sendable {
        package let life: Life
        package let clock: LifeClock?
        /// Whether its ticks are ticks of the context's machine clock.
        fileprivate let isOfMachine: Bool
    }

    /// A record with its metric, value and time.
    package struct Explained: Sendable {
        package let record: DecodedRecord
        /// The metric; nil if the ring has no such metric.
        package let metric: Metric?
        /// The value; nil for a number of an unknown metric, and for a record without a value.
        package let value: RecordValue?
        /// The time; nil if the record has none, or the length of a tick is unknown.
        package let unixNanoseconds: Int64?
        /// The time in ticks of the context's machine clock; nil if its life had another clock.
        package let machineTicks: UInt64?
        /// The trace; nil if the record belongs to none, and for a record without a value.
        package let trace: RecordTrace?
    }

    /// The lives still recorded, oldest first.
    package private(set) var lives: [ClockedLife]
    /// The metrics by id; nil for a slot without a valid metric.
    package private(set) var metrics: [Metric?]
    private var lifeCount: UInt64
    private var clockNanoseconds: UInt64 = 0
    private var machineGeneration = -1
    private var traces = TraceReading()

    package init(_ segment: Segment) {
        lifeCount = segment.lifeCount
        lives = Self.lives(of: segment)
        metrics = (0..<segment.readableMetricCount).map { segment.metric($0) }
    }

    /// Reads metrics and lives that are new since the last call. Call it after copying records and before explaining
    /// them, so that their metrics and lives are known.
    ///
    /// - Parameters:
    ///   - monotonicNanoseconds: The present time. A measured clock is measured again once a second, because it is the
    ///     more exact, the longer its life is.
    ///   - machine: This machine's clock, for readers that merge rings. It then dates all their lives.
    package mutating func refresh(
        _ segment: Segment, monotonicNanoseconds: UInt64, machine: MachineClock? = nil
    ) {
        let newest = segment.lifeCount
        let isMeasuredAnew = machine.map { $0.generation != machineGeneration } ?? false
        if newest != lifeCount || isMeasuredAnew || monotonicNanoseconds &- clockNanoseconds > 1_000_000_000 {
            lifeCount = newest
            clockNanoseconds = monotonicNanoseconds
            machineGeneration = machine?.generation ?? -1
            lives = Self.lives(of: segment, machine)
        }
        let count = segment.readableMetricCount
        if count > metrics.count { metrics += (metrics.count..<count).map { segment.metric($0) } }
    }

    /// Reads the contexts of traces that the ring contains from before the first record that will be explained.
    package mutating func lookBack(_ segment: Segment, before first: UInt64) { traces.lookBack(segment, before: first) }

    /// Explains a record. Must be called for all records in their order, because some of them say which trace later
    /// records belong to.
    package mutating func explain(_ record: DecodedRecord) -> Explained {
        let life = lives.last { $0.life.firstPosition <= record.index }
        let clock = life?.clock
        let metric = metrics.indices.contains(record.metricID) ? metrics[record.metricID] : nil
        return Explained(
            record: record, metric: metric, value: record.value(of: metric, clock: clock),
            unixNanoseconds: record.timeTicks.flatMap { clock?.unixNanoseconds(atTicks: $0) },
            machineTicks: life?.isOfMachine == true ? record.timeTicks : nil,
            trace: trace(of: record, prefix: life?.life.tracePrefix ?? 0))
    }

    private mutating func trace(of record: DecodedRecord, prefix: UInt64) -> RecordTrace? {
        guard record.kind.isMeasurement else {
            traces.note(record.words, at: record.index)
            return nil
        }
        return traces.trace(word: record.traceID, flags: record.flags, at: record.index, prefix: prefix)
    }

    private static func lives(of segment: Segment, _ machine: MachineClock? = nil) -> [ClockedLife] {
        segment.lives().map {
            let common = machine?.clock(of: $0, in: segment)
            return ClockedLife(life: $0, clock: common ?? segment.clock(of: $0), isOfMachine: common != nil)
        }
    }
}
