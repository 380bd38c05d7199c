internal import Drain
package import Exposition
internal import Glibc
package import History
package import Platform
package import Series
internal import Synchronization
internal import SQLite

/// Writes each minute to the history, and provides the values of the open minute.
///
/// Its snapshots come from a ``SnapshotAgent``, so the drain thread never waits for it. If the file cannot be written
/// (a full disk), that is logged once, and stored data stays untouched. A minute later the write is repeated with the
/// data that came meanwhile.
///
/// Members may be used from any thread, `record` and `open` by one at a time.
package final class HistoryRecorder: @unchecked Sendable {
    // Unchecked: `store` and the clock's variables are used by the recording thread alone, `ledger` and `writtenAlerts`
    // under the lock.
    private let path: String
    private let retention: HistoryRetention
    private let isStateRestored: Bool
    private let maximumPages: Int?
    private let logger: Logger
    private let started: HistoryMoment
    private let receipt: HistoryReceipt?
    private let process: @Sendable () -> ProcessStatistics?
    private var store: HistoryStore?
    private var ledger: HistoryLedger?
    /// The last alert change that is in the file, and the CLOCK_MONOTONIC time of the alerts' state there.
    private var writtenAlerts: (number: UInt64, monotonicNanoseconds: Int64) = (0, .min)
    private let lock = Mutex(())
    private let failure = Mutex<String?>(nil)
    private let wasTried = Atomic(false)
    private var clock: RetentionClock?
    /// The moments at which the clock was last advanced, hours were last packed, and old hours were last removed.
    private var lastAdvance: HistoryMoment?
    private var lastPacking: HistoryMoment?
    private var lastRetention: HistoryMoment?
    private var newestMinute: Int64?

    /// The largest share of the stored hours that one hourly pass may remove for their age.
    private static let retentionShare = 0.125

    /// - Parameters:
    ///   - path: of the history file.
    ///   - isStateRestored: whether the collector resumed the totals of an earlier one.
    ///   - startedUnixNanoseconds: the time at which the collector began to watch.
    ///   - startedMonotonicNanoseconds: the same on CLOCK_MONOTONIC; nil if both clocks are one.
    ///   - receipt: receives the numbers of the late minutes and alert changes that are written; nil if they are not
    ///     needed.
    ///   - maximumPages: the most pages of the file; for tests of a full disk.
    ///   - process: reads the system's figures for the collector's own process.
    package init(
        path: String, retention: HistoryRetention, isStateRestored: Bool, startedUnixNanoseconds: Int64,
        startedMonotonicNanoseconds: Int64? = nil, logger: Logger, receipt: HistoryReceipt? = nil,
        maximumPages: Int? = nil,
        process: @escaping @Sendable () -> ProcessStatistics? = { ProcessStatistics.ofThisProcess() }
    ) {
        self.path = path
        self.retention = retention
        self.isStateRestored = isStateRestored
        started = HistoryMoment(
            unixNanoseconds: startedUnixNanoseconds, monotonicNanoseconds: startedMonotonicNanoseconds)
        self.logger = logger
        self.receipt = receipt
        self.process = process
        self.maximumPages = maximumPages
    }

    /// The history's status. Its failure says why nothing is recorded; nil if everything is recorded.
    package var status: ServiceStatus { ServiceStatus(name: "history", failure: failure.withLock { $0 }) }

    /// Writes the values that a snapshot adds, packs complete hours, and removes hours that are too old.
    package func record(_ snapshot: Snapshot) {
        attempt {
            let store = try openStore()
            let now = HistoryMoment(snapshot)
            let present = try advanceClock(store, to: now)
            try lock.withLock { _ in
                let oldest = present - retention.minutes
                guard let increase = ledger?.increase(to: snapshot, process: process(), oldestMinute: oldest) else {
                    return
                }
                let alerts = AlertEpisode.changes(
                    to: try store.openAlerts(), by: snapshot, after: writtenAlerts.number)
                try store.write(increase.entries, alerts: alerts)
                ledger?.accept(increase)
                writtenAlerts = (
                    max(writtenAlerts.number, snapshot.alertEvents.last?.number ?? 0), snapshot.monotonicNanoseconds
                )
                receipt?.note(writtenBatch: ledger?.lateBatch ?? 0)
                receipt?.note(writtenAlert: writtenAlerts.number)
            }
            try keepHouse(store, now: now, present: present)
            guard !store.isFull else {
                throw HistoryFailure(
                    obstacle: "new series are left out: the file has numbered all the series that it can; move it away "
                        + "and restart the collector, which begins a new one")
            }
        }
    }

    /// Opens the file, so that it can be queried before the first minute is over.
    package func open() { attempt { _ = try openStore() } }

    /// Waits for the first attempt to open the file. An earlier reader would find a file without tables.
    ///
    /// - Parameter milliseconds: the longest wait. A file of 30 days opens in a few milliseconds.
    package func waitUntilOpened(milliseconds: Int = 5_000) {
        let step = 5
        for _ in 0..<(milliseconds / step) where !wasTried.load(ordering: .acquiring) {
            usleep(UInt32(step * 1_000))
        }
    }

    /// Provides the values that are not in the file yet.
    ///
    /// - Parameters:
    ///   - isWanted: selects the series.
    ///   - reading: called with the values while nothing is written. A reader of the file that begins there sees the
    ///     rest.
    package func withPending(
        _ snapshot: Snapshot?, where isWanted: @escaping (HistorySeriesKey) -> Bool, _ reading: (PendingMinutes) -> Void
    ) {
        lock.withLock { _ in
            let increase = snapshot.flatMap { ledger?.increase(to: $0, process: process(), where: isWanted) }
            reading(PendingMinutes(increase?.entries ?? []))
        }
    }

    /// Provides the number of the last alert change in the file; nil if the file is newer than the snapshot.
    ///
    /// - Parameter reading: called with the number, like the closure of ``withPending(_:where:_:)``.
    package func withWrittenAlerts(_ snapshot: Snapshot, _ reading: (UInt64?) -> Void) {
        lock.withLock { _ in
            let (number, moment) = writtenAlerts
            reading(moment <= snapshot.monotonicNanoseconds ? number : nil)
        }
    }

    package var databasePath: String { path }

    private func openStore() throws -> HistoryStore {
        if let store { return store }
        let (store, totals) = try opened()
        let start: HistoryLedger.Start =
            switch (isStateRestored, try store.lastMinute() == nil) {
            case (true, false): .restored
            case (true, true): .historyIsNew
            case (false, false): .collectorIsNew
            case (false, true): .bothAreNew
            }
        lock.withLock { _ in
            // If the file was set aside while the collector ran, the new file counts from the same totals.
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

    /// Advances and stores the clock that retention uses.
    ///
    /// - Returns: the present minute for retention.
    private func advanceClock(_ store: HistoryStore, to now: HistoryMoment) throws -> Int64 {
        let wallSeconds = now.unixNanoseconds / 1_000_000_000
        var clock =
            try clock ?? store.retentionClock()
            ?? RetentionClock(wallSeconds: wallSeconds, newestMinute: try store.lastMinute())
        // The clock advances by whole seconds. The fraction waits for the next call.
        let elapsed = max(0, now.secondsSince(lastAdvance ?? now))
        clock.advance(elapsedSeconds: elapsed, wallSeconds: wallSeconds)
        try store.keep(clock)
        self.clock = clock
        lastAdvance = lastAdvance.map { $0.advanced(bySeconds: elapsed) } ?? now
        return clock.minute(wallSeconds: wallSeconds)
    }

    /// Packs hours as soon as they are over. Removes old ones once per hour of elapsed time, so that steps of the wall
    /// clock cause no further passes.
    private func keepHouse(_ store: HistoryStore, now: HistoryMoment, present: Int64) throws {
        let hour = now.minute / 60
        if lastPacking.map({ $0.minute / 60 != hour }) ?? true {
            // Only late minutes still come for an hour that is over. A later pass packs them.
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

    /// A little less than an hour, since a snapshot may come slightly sooner than the one an hour ago.
    private static let retentionSeconds: Int64 = 3540

    /// Warns of minutes that are dated after the present. They were recorded while the wall clock was ahead, and keep
    /// their dates.
    private func warnOfTheFuture(_ store: HistoryStore, _ now: HistoryMoment) {
        guard let newest = try? store.lastMinute(), newest > now.minute + 120, newest != newestMinute else { return }
        newestMinute = newest
        logger.warn(
            "history holds minutes that are dated after the present, from a time when the wall clock was ahead; they are kept as they are dated",
            [("file", .text(path)), ("last_minute_unix_seconds", .integer(newest * 60))])
    }

    private func attempt(_ body: () throws -> Void) {
        defer { wasTried.store(true, ordering: .releasing) }
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
            // The next minute begins a new file.
            store = nil
            try? setAside(because: reason)
        }
        let before = failure.withLock { failure in
            defer { failure = reason }
            return failure
        }
        guard before == nil else { return }
        logger.error(
            "history is not recorded as a whole; what is stored stays, the drain goes on, and the write is repeated every minute",
            [("file", .text(path)), ("reason", .text(reason))])
    }

    private func setAside(because reason: String) throws {
        let aside = try DamagedDatabase.setAside(path, unixSeconds: Int64(time(nil)))
        logger.error(
            "history set aside: it is damaged, and a new one is begun",
            [("file", .text(path)), ("kept_as", .text(aside)), ("reason", .text(reason))])
    }
}

extension HistoryMoment {
    /// Seconds since an earlier moment, on CLOCK_MONOTONIC.
    fileprivate func secondsSince(_ earlier: HistoryMoment) -> Int64 {
        (monotonicNanoseconds - earlier.monotonicNanoseconds) / 1_000_000_000
    }

    fileprivate func advanced(bySeconds seconds: Int64) -> HistoryMoment {
        var moment = self
        moment.monotonicNanoseconds += seconds * 1_000_000_000
        return moment
    }
}
