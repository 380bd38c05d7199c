import Drain
import Platform
import CSQLite
import SQLite
import Collector
import Glibc
import TestSupport
import Testing

/// Tests a start on a state directory that others use, or that cannot be used.
@Suite struct RestoredStateTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private let rings = 5

    private var path: String { "\(folder.path)/state.sqlite" }

    init() throws {
        var random = RandomState(seed: 1)
        let (store, _) = try StateStore.open(path: path, logger: Logger(level: .error))
        try store.write(random.checkpoint(0..<5))
    }

    private func start(_ patience: LockWait) throws -> RestoredState {
        var options = CollectorOptions()
        options.stateDirectory = folder.path
        return try RestoredState(options, patience: patience, logger: Logger(level: .error))
    }

    /// Another process that reads the state in one transaction, as a backup does.
    private final class Reader {
        private var connection: OpaquePointer?

        init(_ path: String) throws {
            try #require(sqlite3_open(path, &connection) == SQLITE_OK)
            try #require(sqlite3_exec(connection, "BEGIN; SELECT count(*) FROM entry", nil, nil, nil) == SQLITE_OK)
        }

        func end() { sqlite3_close(connection.take()) }

        deinit { end() }
    }

    @Test("a state that another process reads is waited for, which is logged, and then it is restored whole")
    func waited() throws {
        let reader = try Reader(path)
        var said: [String?] = []
        var looks = 0
        let patience = LockWait(
            say: { said.append($0) },
            isEndWanted: {
                looks += 1
                if looks == 2 { reader.end() }
                return false
            })
        let kept = try start(patience)
        #expect(kept.saved?.rings.count == rings && kept.setAside == nil && kept.directory != nil)
        #expect(said.count == 2 && said.first??.contains(path) == true && said.last == .some(nil))
        #expect(looks >= 2)
    }

    @Test("a state that stays locked ends the start with an error, and nothing of it is lost")
    func locked() throws {
        let reader = try Reader(path)
        #expect {
            _ = try start(LockWait(nanoseconds: 100_000_000))
        } throws: {
            "\($0)".contains(path) && "\($0)".contains("locked by another process") && "\($0)".contains("--state-dir")
        }
        reader.end()
        #expect(try start(LockWait()).saved?.rings.count == rings)
        #expect(folder.entries().filter { $0.contains("damaged") || $0.contains("set-aside") } == [])
    }

    @Test("SIGTERM ends the wait")
    func ended() throws {
        let reader = try Reader(path)
        #expect(throws: LockWait.Failure.ended) { _ = try start(LockWait(isEndWanted: { true })) }
        withExtendedLifetime(reader) {}
    }

    @Test("a state that cannot be read ends the start too; without a state directory the collector runs, and says so")
    func unreadable() throws {
        let kept = "\(folder.path)/kept"
        #expect(rename(path, kept) == 0)
        #expect(mkdir(path, 0o700) == 0)
        #expect {
            _ = try start(LockWait())
        } throws: {
            "\($0)".contains("\(path) cannot be read") && "\($0)".contains("would lose all totals")
        }
        #expect(rmdir(path) == 0 && rename(kept, path) == 0)
        #expect(try start(LockWait()).saved?.rings.count == rings)
        var options = CollectorOptions()
        options.stateDirectory = "\(path)/none"
        let without = try RestoredState(options, patience: LockWait(), logger: Logger(level: .error))
        #expect(without.saved == nil && without.directory == nil)
        guard case .failed? = without.sink?.outcome else {
            Issue.record("nobody is told that no state is kept")
            return
        }
    }

    @Test("while the collector is not ready, what it waits for can change")
    func readiness() {
        let readiness = Readiness(waitingFor: "rings")
        readiness.wait(for: "a lock")
        #expect(readiness.reasonToWait == "a lock")
        readiness.wait(for: nil)
        #expect(readiness.reasonToWait == "rings")
        readiness.markReady()
        readiness.wait(for: "a lock")
        #expect(readiness.reasonToWait == nil)
    }

    // MARK: Starts that ended by their own fault

    /// Returns the suspicion at the start after these starts. Each named a bot or none, and may have ended by a fault.
    private func suspicion(after starts: [(bot: String?, isFault: Bool)]) -> StartMarker.Suspicion {
        for start in starts {
            let marker = StartMarker(directory: folder.path)
            marker.note(bot: start.bot)
            guard start.isFault else { continue }
            let file = open("\(folder.path)/starting", O_WRONLY)
            #expect(pwrite(file, "!", 1, 0) == 1)
            close(file)
        }
        return StartMarker(directory: folder.path).suspicion
    }

    @Test(
        "two faults in a row set aside the bot that was taken up, three without one the state; being killed sets nothing aside"
    )
    func faults() {
        #expect(suspicion(after: [("alpha", true)]) == StartMarker.Suspicion())
        #expect(suspicion(after: [("alpha", true)]) == StartMarker.Suspicion(bots: ["alpha"]))
        StartMarker(directory: folder.path).remove()
        #expect(
            suspicion(after: [("alpha", false), ("alpha", false), (nil, false), (nil, false)])
                == StartMarker.Suspicion()
        )
        #expect(suspicion(after: [(nil, true), (nil, true)]) == StartMarker.Suspicion())
        #expect(suspicion(after: [(nil, true)]) == StartMarker.Suspicion(isAll: true))
    }

    @Test("a suspect bot is left out and kept aside, and all others are restored; a suspect state is left out whole")
    func suspects() throws {
        let logger = Logger(level: .error)
        let suspect = StartMarker.Suspicion(bots: ["bot1"])
        var opened: (store: StateStore, saved: SavedState?)? = try StateStore.open(
            path: path, suspicion: suspect, logger: logger)
        #expect(opened?.saved?.bots.contains { $0.name == "bot1" } == false)
        #expect(opened?.saved?.bots.count == 4)
        #expect(opened?.store.setAside?.bots.contains("bot1") == true && opened?.store.setAside?.isAll == false)
        opened = nil
        let all = try StateStore.open(path: path, suspicion: StartMarker.Suspicion(isAll: true), logger: logger)
        #expect(all.saved == nil && all.store.setAside?.isAll == true)
    }
}
