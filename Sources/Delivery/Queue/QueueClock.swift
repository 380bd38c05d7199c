internal import Glibc
internal import Platform

/// The time by which a queue's entries wait and grow old: time that has really passed, whatever is done to the wall clock.
///
/// It runs as CLOCK_MONOTONIC does, from a value that is kept with the queue. Within one boot of the machine a later collector
/// goes on with the same clock exactly, since CLOCK_MONOTONIC does. After a reboot it goes on from the latest time that is
/// known, by the time since the boot: how long the machine was off cannot be told from a wall clock that was set, and does
/// not count. Its first value is the wall clock's, which is for people who look into the file.
struct QueueClock: Sendable {
    /// What is kept in the file.
    struct Record: Equatable, Sendable {
        var bootID: String
        /// Its time at CLOCK_MONOTONIC's 0.
        var offset: Int64
        /// A time that it has reached.
        var latest: Int64
    }

    let bootID: String
    private(set) var offset: Int64
    private let time: TimeSource

    /// Begins, or goes on.
    ///
    /// - Parameters:
    ///   - record: What an earlier collector kept; nil where the file is new, or older than this clock.
    ///   - newest: When the newest entry was queued; nil where none waits.
    init(_ record: Record?, newest: Int64?, bootID: String, time: TimeSource) {
        self.bootID = bootID
        self.time = time
        let monotonic = time.monotonic()
        let newest = newest.flatMap { Self.possible.contains($0) ? $0 : nil }
        guard let record, Self.possible.contains(record.latest) else {
            // The entries of a file without a clock are dated by the wall clock: the newest has waited for no time that is known.
            offset = (newest ?? min(max(0, time.unix()), Self.possible.upperBound)) - monotonic
            return
        }
        // An entry may be a little later than what was written down last, and one that is much later is damaged.
        let latest = newest.map { $0 - record.latest < Self.longestUnrecorded ? max($0, record.latest) : record.latest }
        let known = latest ?? record.latest
        let isSameBoot = !bootID.isEmpty && bootID == record.bootID
        offset = isSameBoot ? min(max(record.offset, known - monotonic), known) : known
    }

    var now: Int64 { time.monotonic() &+ offset }

    var record: Record { Record(bootID: bootID, offset: offset, latest: now) }

    private static let possible: ClosedRange<Int64> = 0...(1 << 62)
    private static let longestUnrecorded: Int64 = 3_600_000_000_000

    /// This boot's identity; empty where the system does not tell.
    static func currentBootID() -> String {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)).prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
