internal import Glibc
internal import Platform

/// A limit that keeps an import from writing faster than a collector reads: at most a quarter of the ring in the
/// longest time between two reads. A bot cannot wait for its readers, but a file can.
struct RecordPace {
    private static let periodNanoseconds: UInt64 = 100_000_000

    private let recordsAPeriod: UInt64
    private var records: UInt64 = 0
    private var periodStart: UInt64 = 0

    init(capacityRecords: UInt64) { recordsAPeriod = max(1, capacityRecords / 4) }

    /// Waits until the next record may be written. Call it before each record.
    @inline(__always)
    mutating func count() {
        records += 1
        if records > recordsAPeriod { wait() }
    }

    private mutating func wait() {
        let now = UInt64(bitPattern: monotonicNow())
        let end = periodStart &+ Self.periodNanoseconds
        if now < end { usleep(UInt32((end - now) / 1000)) }
        periodStart = UInt64(bitPattern: monotonicNow())
        records = 1
    }
}
