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
    private let startedUnixNanoseconds: Int64
    private let late: LateReceipt?
    private var store: HistoryStore?
    private var ledger: HistoryLedger?
    private let lock = Mutex(())
    private let failure = Mutex<String?>(nil)
    private var hourOfRetention: Int64?

    /// - Parameters:
    ///   - path: of the history file.
    ///   - isStateResumed: whether the collector's totals go on from an earlier one's.
    ///   - startedUnixNanoseconds: since when the collector watches.
    ///   - late: whom it tells which late minutes are written; nil where there are none.
    ///   - maximumPages: the most pages that the file may have; for tests of a full disk.
    package init(
        path: String, retention: HistoryRetention, isStateResumed: Bool, startedUnixNanoseconds: Int64,
        logger: Logger, late: LateReceipt? = nil, maximumPages: Int? = nil
    ) {
        self.path = path
        self.retention = retention
        self.isStateResumed = isStateResumed
        self.startedUnixNanoseconds = startedUnixNanoseconds
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
            try lock.withLock { _ in
                let oldest = snapshot.unixNanoseconds / 60_000_000_000 - retention.minutes
                guard var ledger, let increase = ledger.increase(to: snapshot, oldestMinute: oldest) else { return }
                try store.write(increase.entries)
                ledger.accept(increase)
                self.ledger = ledger
                late?.note(writtenBatch: ledger.lateBatch)
            }
            try keepHouse(store, unixNanoseconds: snapshot.unixNanoseconds)
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
                ?? HistoryLedger(totals: totals, start: start, unixNanoseconds: startedUnixNanoseconds)
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

    /// Once an hour, for both go by hours.
    private func keepHouse(_ store: HistoryStore, unixNanoseconds: Int64) throws {
        let minute = unixNanoseconds / 60_000_000_000
        let hour = minute / 60
        guard hour != hourOfRetention else { return }
        // Some seconds after an hour nothing comes into it any more.
        try store.pack(before: hour * 60)
        let live = lock.withLock { _ in ledger?.live ?? [] }
        let gone = try store.retain(retention, now: minute, live: live)
        lock.withLock { _ in ledger?.forget(gone) }
        hourOfRetention = hour
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
