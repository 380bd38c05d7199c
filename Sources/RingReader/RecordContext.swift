/// What a ring says of its records: which metric each is of, and what the ticks of the life that wrote it mean. Copied out
/// of the segment, so that a reader of many records asks for it once.
package struct RecordContext {
    /// A life, and its clock where one is known.
    package struct ClockedLife: Sendable {
        package let life: Life
        package let clock: LifeClock?
        /// Whether its ticks are those of the machine clock that the context goes by.
        fileprivate let isOfMachine: Bool
    }

    /// A record with all that its ring says of it.
    package struct Explained: Sendable {
        package let record: DecodedRecord
        /// Nil where the ring has no such metric.
        package let metric: Metric?
        /// Nil for a number of an unknown metric.
        package let value: RecordValue?
        /// Nil without a time, and where nothing says how long a tick was.
        package let unixNanoseconds: Int64?
        /// Its time in ticks of the machine clock that the context goes by; nil where its life had another clock.
        package let machineTicks: UInt64?
    }

    /// Those that are still written down, oldest first.
    package private(set) var lives: [ClockedLife]
    /// By id; nil where a slot holds none.
    package private(set) var metrics: [Metric?]
    private var lifeCount: UInt64
    private var clockNanoseconds: UInt64 = 0
    private var machineGeneration = -1

    package init(_ segment: Segment) {
        lifeCount = segment.lifeCount
        lives = Self.lives(of: segment)
        metrics = (0..<segment.readableMetricCount).map { segment.metric($0) }
    }

    /// Takes up what was registered and attached since. To be called after records were copied and before they are
    /// explained: what they are of is then known.
    ///
    /// - Parameters:
    ///   - monotonicNanoseconds: Now. A clock that is measured is measured again once a second, the better the longer its
    ///     life is.
    ///   - machine: The clock of this machine, for readers that merge rings: its lives are then read by it, all alike.
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

    package func explain(_ record: DecodedRecord) -> Explained {
        let life = lives.last { $0.life.firstPosition <= record.index }
        let clock = life?.clock
        let metric = metrics.indices.contains(record.metricID) ? metrics[record.metricID] : nil
        return Explained(
            record: record, metric: metric, value: record.value(of: metric, clock: clock),
            unixNanoseconds: record.timeTicks.flatMap { clock?.unixNanoseconds(atTicks: $0) },
            machineTicks: life?.isOfMachine == true ? record.timeTicks : nil)
    }

    private static func lives(of segment: Segment, _ machine: MachineClock? = nil) -> [ClockedLife] {
        segment.lives().map {
            let common = machine?.clock(of: $0, in: segment)
            return ClockedLife(life: $0, clock: common ?? segment.clock(of: $0), isOfMachine: common != nil)
        }
    }
}
