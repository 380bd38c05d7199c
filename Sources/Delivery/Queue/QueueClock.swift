internal import Glibc
internal import Platform

/// The clock by which queue entries wait and age. It shows elapsed time, independent of changes to the wall clock.
///
/// It advances like CLOCK_MONOTONIC, from a value stored with the queue. A later collector within the same boot
/// continues it exactly. After a reboot it continues from the latest stored time plus the time since the boot. The time
/// that the machine was off does not count: it is unknown, since the wall clock may have been set. The clock's first
/// value is the wall clock's, for people who inspect the file.
struct QueueClock: Sendable {
    /// The part of the clock that is stored in the file.
    struct Record: Equatable, Sendable {
        var bootID: String
        /// The clock's time at 0 of CLOCK_MONOTONIC.
        var offset: Int64
        /// A time that the clock has reached.
        var latest: Int64
    }

    let bootID: String
    private(set) var offset: Int64
    private let time: TimeSource

    /// Starts or continues the clock.
    ///
    /// - Parameters:
    ///   - record: The record that an earlier collector stored; nil if the file is new, or from a version without this
    ///     clock.
    ///   - newest: The time at which the newest entry was queued; nil if none waits.
    init(_ record: Record?, newest: Int64?, bootID: String, time: TimeSource) {
        self.bootID = bootID
        self.time = time
        let monotonic = time.monotonic()
        let newest = newest.flatMap { Self.possible.contains($0) ? $0 : nil }
        guard let record, Self.possible.contains(record.latest) else {
            // Entries of a file without a clock have wall-clock times, so it is unknown how long the newest has waited.
            // It counts as new.
            offset = (newest ?? min(max(0, time.unix()), Self.possible.upperBound)) - monotonic
            return
        }
        // An entry may be slightly later than the last stored time. The time of one that is much later is wrong, and is
        // ignored.
        let latest = newest.map { $0 - record.latest < Self.longestUnrecorded ? max($0, record.latest) : record.latest }
        let known = latest ?? record.latest
        let isSameBoot = !bootID.isEmpty && bootID == record.bootID
        offset = isSameBoot ? min(max(record.offset, known - monotonic), known) : known
    }

    var now: Int64 { time.monotonic() &+ offset }

    var record: Record { Record(bootID: bootID, offset: offset, latest: now) }

    private static let possible: ClosedRange<Int64> = 0...(1 << 62)
    private static let longestUnrecorded: Int64 = 3_600_000_000_000

    /// Returns this boot's identity; empty if the system does not provide it.
    static func currentBootID() -> String {
        ProcFile.withContents(of: "/proc/sys/kernel/random/boot_id", in: AT_FDCWD) { bytes in
            String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        } ?? ""
    }
}
