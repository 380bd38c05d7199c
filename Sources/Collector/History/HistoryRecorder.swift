internal import Glibc
package import History
package import Platform
package import Series
internal import Synchronization

/// Takes each minute into the history, and answers what the open minute adds to it.
///
/// What it writes it asks the exchange for, as any other reader: the drain thread waits for nobody. Where the file cannot be
/// written (a full disk), that is said once and nothing that is stored is touched; the minute is tried again a minute later, and
/// holds then what came meanwhile.
///
/// Members may be used from any thread; `record` and `open` by one at a time.
package final class HistoryRecorder: @unchecked Sendable {
    // Unchecked: `store` is touched by the recording thread alone, `ledger` under the lock.
    private let path: String
    private let retention: HistoryRetention
    private let isStateResumed: Bool
    private let maximumPages: Int?
    private let logger: Logger
    private let started: HistoryMoment
    private let late: LateReceipt?
    private var store: HistoryStore?
    private var ledger: HistoryLedger?
    private let lock = Mutex(())
    private let failure = Mutex<String?>(nil)
    private var clock: RetentionClock?
    /// When the clock was last advanced, when hours were last packed, and when some were last let go of.
    private var lastAdvance: HistoryMoment?
    private var lastPacking: HistoryMoment?
    private var lastRetention: HistoryMoment?
    private var newestMinute: Int64?

    /// Of the hours that are stored, the most that may go for their age in one pass, of which there is one an hour.
    private static let retentionShare = 0.125

    /// - Parameters:
    ///   - path: of the history file.
    ///   - isStateResumed: whether the collector's totals go on from an earlier one's.
    ///   - startedUnixNanoseconds: since when the collector watches.
    ///   - startedMonotonicNanoseconds: the same on CLOCK_MONOTONIC; nil where both clocks are one.
    ///   - late: whom it tells which late minutes are written; nil where there are none.
    ///   - maximumPages: the most pages that the file may have; for tests of a full disk.
    package init(
        path: String, retention: HistoryRetention, isStateResumed: Bool, startedUnixNanoseconds: Int64,
        startedMonotonicNanoseconds: Int64? = nil, logger: Logger, late: LateReceipt? = nil, maximumPages: Int? = nil
    ) {
        self.path = path
        self.retention = retention
        self.isStateResumed = isStateResumed
        started = HistoryMoment(
            unixNanoseconds: startedUnixNanoseconds, monotonicNanoseconds: startedMonotonicNanoseconds)
        self.logger = logger
        self.late = late
        self.maximumPages = maximumPages
    }

    /// Why nothing is recorded; nil where all is well.
    package var status: ServiceStatus { ServiceStatus(name: "history", failure: failure.withLock { $0 }) }

    /// Writes what a snapshot adds, packs hours that are over, and lets go of what is too old.
    package func record(_ snapshot: Snapshot) {
        attempt {
            let store = try openStore()
            let now = HistoryMoment(snapshot)
            let present = try advanceClock(store, to: now)
            try lock.withLock { _ in
                let oldest = present - retention.minutes
                guard var ledger, let increase = ledger.increase(to: snapshot, oldestMinute: oldest) else { return }
                try store.write(increase.entries)
                ledger.accept(increase)
                self.ledger = ledger
                late?.note(writtenBatch: ledger.lateBatch)
            }
            try keepHouse(store, now: now, present: present)
        }
    }

    /// Opens the file, so that what it holds can be asked for before the first minute is over.
    package func open() { attempt { _ = try openStore() } }

    /// What is not in the file yet.
    ///
    /// - Parameters:
    ///   - isWanted: the series.
    ///   - reading: called with it, while nothing is written: a reader that begins there sees what the file holds besides.
    package func withPending(
        _ snapshot: Snapshot?, where isWanted: @escaping (HistorySeriesKey) -> Bool, _ reading: (PendingMinutes) -> Void
    ) {
        lock.withLock { _ in
            let increase = snapshot.flatMap { ledger?.increase(to: $0, where: isWanted) }
            reading(PendingMinutes(increase?.entries ?? []))
        }
    }

    package var databasePath: String { path }

    private func openStore() throws -> HistoryStore {
        if let store { return store }
        let (store, totals) = try opened()
        let start: HistoryLedger.Start =
            switch (isStateResumed, try store.lastMinute() == nil) {
            case (true, false): .resumed
            case (true, true): .historyIsNew
            case (false, false): .collectorIsNew
            case (false, true): .bothAreNew
            }
        lock.withLock { _ in
            // What was counted on from goes on: the file was set aside while the collector ran.
            ledger =
                ledger?.forNewFile
                ?? HistoryLedger(totals: totals, start: start, begin: started)
        }
        self.store = store
        return store
    }

    private func opened() throws -> (HistoryStore, [HistorySeriesKey: MinuteValue]) {
        do {
            let store = try HistoryStore(path: path, maximumPages: maximumPages)
            return (store, try store.totals())
        } catch  where error.isDamage {
            try setAside(because: error.description)
            return (try HistoryStore(path: path, maximumPages: maximumPages), [:])
        }
    }

    /// Advances the clock that retention goes by, and keeps it.
    ///
    /// - Returns: the present minute for retention.
    private func advanceClock(_ store: HistoryStore, to now: HistoryMoment) throws -> Int64 {
        let wallSeconds = now.unixNanoseconds / 1_000_000_000
        var clock =
            try clock ?? store.retentionClock()
            ?? RetentionClock(wallSeconds: wallSeconds, newestMinute: try store.lastMinute())
        // Whole seconds: what is left of one waits for the next time.
        let elapsed = max(0, now.secondsSince(lastAdvance ?? now))
        clock.advance(elapsedSeconds: elapsed, wallSeconds: wallSeconds)
        try store.keep(clock)
        self.clock = clock
        lastAdvance = lastAdvance.map { $0.advanced(bySeconds: elapsed) } ?? now
        return clock.minute(wallSeconds: wallSeconds)
    }

    /// Packs hours that are over as soon as they are, and lets go of what is too old once in an hour of elapsed time: a wall
    /// clock that is set to and fro brings no further pass.
    private func keepHouse(_ store: HistoryStore, now: HistoryMoment, present: Int64) throws {
        let hour = now.minute / 60
        if lastPacking.map({ $0.minute / 60 != hour }) ?? true {
            // Some seconds after an hour nothing comes into it any more.
            try store.pack(before: hour * 60)
            lastPacking = now
        }
        guard lastRetention.map({ now.secondsSince($0) >= Self.retentionSeconds }) ?? true else { return }
        warnOfTheFuture(store, now)
        let live = lock.withLock { _ in ledger?.live ?? [] }
        let gone = try store.retain(
            retention, now: present, wallMinute: now.minute, share: Self.retentionShare, live: live)
        lock.withLock { _ in ledger?.forget(gone) }
        lastRetention = now
    }

    /// Some seconds less than an hour: a snapshot may come a little sooner than the one of an hour ago did.
    private static let retentionSeconds: Int64 = 3540

    /// What is dated after the present was recorded while the wall clock was ahead. It stays as it is, and that is said.
    private func warnOfTheFuture(_ store: HistoryStore, _ now: HistoryMoment) {
        guard let newest = try? store.lastMinute(), newest > now.minute + 120, newest != newestMinute else { return }
        newestMinute = newest
        logger.warn(
            "history holds minutes that are dated after the present, from a time when the wall clock was ahead; they are kept as they are dated",
            [("file", .text(path)), ("last_minute_unix_seconds", .integer(newest * 60))])
    }

    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
            let before = failure.withLock { failure in
                defer { failure = nil }
                return failure
            }
            if before != nil { logger.info("history is recorded again", [("file", .text(path))]) }
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: any Error) {
        let reason = "\(error)"
        if let damage = error as? HistoryFailure, damage.isDamage {
            // The next minute begins another file.
            store = nil
            try? setAside(because: reason)
        }
        let before = failure.withLock { failure in
            defer { failure = reason }
            return failure
        }
        guard before == nil else { return }
        logger.error(
            "history is not recorded; what is stored stays, the drain goes on, and it is tried again every minute",
            [("file", .text(path)), ("reason", .text(reason))])
    }

    private func setAside(because reason: String) throws {
        let aside = "\(path).damaged-\(time(nil))"
        for suffix in ["-wal", "-shm", ""] where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, aside + suffix) == 0 else {
                throw StateDamage("it is damaged and cannot be set aside: \(String(cString: strerror(errno)))")
            }
        }
        logger.error(
            "history set aside: it is damaged, and another is begun",
            [("file", .text(path)), ("kept_as", .text(aside)), ("reason", .text(reason))])
    }
}

extension HistoryMoment {
    /// On CLOCK_MONOTONIC.
    fileprivate func secondsSince(_ earlier: HistoryMoment) -> Int64 {
        (monotonicNanoseconds - earlier.monotonicNanoseconds) / 1_000_000_000
    }

    fileprivate func advanced(bySeconds seconds: Int64) -> HistoryMoment {
        var moment = self
        moment.monotonicNanoseconds += seconds * 1_000_000_000
        return moment
    }
}
