import Glibc
import RingReader
import Ringside
import Series
import Synchronization
import TestSupport
import Testing

/// Two readers and a collector on one ring at once. None of them knows of the others, and none takes records from them.
@Suite(.serialized) struct ManyReadersTests {
    private let directory = TemporaryRingDirectory()
    private static let capacity = 1024

    /// The positions of all readers, so that a producer that waits for the slowest laps none of them.
    private final class Progress: Sendable {
        /// The positions by reader. The collector is the last.
        private let reached = Mutex([0, 0, 0] as [UInt64])
        let hasWritten = Atomic(false)
        let isOver = Atomic(false)

        var slowest: UInt64 { reached.withLock { $0.min() ?? 0 } }

        func reach(_ position: UInt64, reader: Int) { reached.withLock { $0[reader] = position } }
    }

    /// The result of one reader.
    private final class Account: Sendable {
        let follower = Mutex<(seen: UInt64, lost: UInt64, invalid: UInt64, torn: [String])?>(nil)
    }

    /// Attaches and writes the pattern that ``Follower`` knows, and waits for the readers if `waits`.
    private func produce(_ count: UInt64, waits: Bool, _ progress: Progress) -> NativeThread {
        let options = AttachOptions(directory: directory.path, capacityRecords: Self.capacity, metricCapacity: 4)
        return NativeThread {
            defer { progress.hasWritten.store(true, ordering: .releasing) }
            guard let telemetry = try? Telemetry.attach("alpha", options: options),
                let total = try? telemetry.counter("writes_total", help: "Records."),
                let pattern = try? telemetry.histogram("pattern", help: "Values that tell their record.")
            else { return }
            for index in 0..<count {
                while waits, index &- progress.slowest > UInt64(Self.capacity) / 2 {
                    if progress.isOver.load(ordering: .relaxed) { return }
                    sched_yield()
                }
                total.increment()
                pattern.record(
                    Double(index % 1_000_003), at: telemetry.now(),
                    trace: index &* 0x9e37_79b9_7f4a_7c15 ^ 0x5bd1_e995_5bd1_e995)
            }
            telemetry.close()
        }
    }

    /// Starts a reader with a mapping and a position of its own, from the ring's first record on.
    private func read(_ reader: Int, _ account: Account, _ progress: Progress) -> NativeThread {
        let directory = directory
        return NativeThread {
            guard var follower = try? Follower(directory) else { return }
            var isLast = false
            while !isLast, !progress.isOver.load(ordering: .relaxed) {
                isLast = progress.hasWritten.load(ordering: .acquiring)
                follower.follow()
                progress.reach(follower.cursor.next, reader: reader)
            }
            let outcome = follower
            account.follower.withLock {
                $0 = (
                    outcome.seen, outcome.cursor.lapped + outcome.cursor.beforeAttach + outcome.cursor.corrupt,
                    outcome.invalid, outcome.torn
                )
            }
        }
    }

    /// Runs them all, and returns the result of each.
    private func run(
        _ count: UInt64, waits: Bool
    ) throws -> (readers: [(seen: UInt64, lost: UInt64, invalid: UInt64, torn: [String])], snapshot: Snapshot) {
        let progress = Progress()
        let accounts = [Account(), Account()]
        let producer = produce(count, waits: waits, progress)
        var threads = [producer]
        defer {
            progress.isOver.store(true, ordering: .relaxed)
            threads.forEach { $0.join() }
        }
        try Watchdog.wait(for: "the ring") { access(directory.ring("alpha"), R_OK) == 0 }
        for (reader, account) in accounts.enumerated() { threads.append(read(reader, account, progress)) }
        let collector = try CollectorHarness(directory)
        try collector.turn(until: "the end of the producer") { snapshot in
            progress.reach(snapshot.ring()?.drained ?? 0, reader: 2)
            return progress.hasWritten.load(ordering: .acquiring)
        }
        let snapshot = try collector.settle()
        try Watchdog.wait(for: "both readers") { accounts.allSatisfy { $0.follower.withLock { $0 != nil } } }
        return (accounts.compactMap { $0.follower.withLock { $0 } }, snapshot)
    }

    @Test("two readers and the collector each get every record, whole and once, while it is written")
    func all() throws {
        let count: UInt64 = 200_000
        let (readers, snapshot) = try run(count, waits: true)
        for (seen, lost, invalid, torn) in readers {
            #expect(seen == count && lost == 0 && invalid == 0 && torn.isEmpty, "\(torn.prefix(3))")
        }
        let account = try #require(snapshot.ring())
        #expect(account.drained == count && account.totalLost == 0 && account.position == count)
        #expect(snapshot.counter("writes_total") == count)
        #expect(snapshot.histogram()?.calls == count && snapshot.histogram()?.total.count == count)
    }

    @Test("a producer that does not wait laps them, and each counts its own loss")
    func lapped() throws {
        let count: UInt64 = 3_000_000
        let (readers, snapshot) = try run(count, waits: false)
        for (seen, lost, invalid, torn) in readers {
            #expect(seen + lost == count && invalid == 0 && torn.isEmpty, "\(seen) \(lost) \(torn.prefix(3))")
        }
        let account = try #require(snapshot.ring())
        #expect(account.drained + account.lost(.lapped) + account.lost(.beforeAttach) == count)
        #expect(account.totalLost == account.lost(.lapped) + account.lost(.beforeAttach))
        #expect(snapshot.counter("writes_total") == count && snapshot.histogram()?.calls == count)
        #expect(snapshot.histogram()?.total.count == account.drained)
    }
}
