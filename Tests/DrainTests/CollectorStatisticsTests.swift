@testable import Drain
import Series
import Testing

/// Tests the collector's account of its own work, by a clock that the test sets.
@Suite struct SelfAccountTests {
    private static let millisecond: Int64 = 1_000_000
    private static let second: Int64 = 1_000_000_000

    private func report(_ account: inout CollectorStatistics, now: Int64) -> CollectorSnapshot {
        account.snapshot(now: now, configuration: nil, checkpointFailure: nil, exports: [])
    }

    @Test("the worst of the last minute is shown for a minute, and not for much longer", arguments: [-1, 0, 7])
    func trailing(minutes: Int64) {
        let begin = minutes * 60 * Self.second + 1_234 * Self.millisecond
        var worst = RecentWindow<Int64>()
        #expect(worst.greatest(now: begin) == nil)
        worst.noteGreatest(5, now: begin)
        worst.noteGreatest(3, now: begin + Self.second)
        worst.noteGreatest(4, now: begin + 30 * Self.second)
        #expect(worst.greatest(now: begin + 60 * Self.second) == 5)
        #expect(worst.greatest(now: begin + 67 * Self.second) == 4)
        #expect(worst.greatest(now: begin + 97 * Self.second) == nil)
        // This comes after a pause of any length.
        worst.noteGreatest(2, now: begin + 1_000_000 * Self.second)
        #expect(worst.greatest(now: begin + 1_000_000 * Self.second) == 2)
    }

    @Test("the worst cycle since the beginning stays, that of the last minute goes")
    func worstCycle() {
        var account = CollectorStatistics(version: "test", now: 0)
        #expect(report(&account, now: 0).drainCycle.extremes == nil)
        #expect(report(&account, now: 0).worstRecentCycle == nil)
        account.noteCycle(nanoseconds: 80 * Self.millisecond, now: Self.second)
        account.noteCycle(nanoseconds: 2 * Self.millisecond, now: 90 * Self.second)
        let snapshot = report(&account, now: 91 * Self.second)
        #expect(snapshot.drainCycle.count == 2 && snapshot.drainCycle.extremes?.maximum == 0.08)
        #expect(snapshot.worstRecentCycle == 0.002)
    }

    @Test("the cost of a record is the time of the drains that brought records, divided by their number")
    func recordCost() {
        var account = CollectorStatistics(version: "test", now: 0)
        account.noteDrain(records: 0, nanoseconds: Self.second, now: 0)
        #expect(report(&account, now: 0).recordCost == nil)
        account.noteDrain(records: 1_000, nanoseconds: 20_000, now: 0)
        account.noteDrain(records: 3_000, nanoseconds: 20_000, now: 10 * Self.second)
        #expect(report(&account, now: 10 * Self.second).recordCost == 1e-8)
        #expect(report(&account, now: 200 * Self.second).recordCost == nil)
    }

    @Test("lag is from a record's own time to its drain; a time ahead is no lag, and an unknown clock gives none")
    func lag() {
        var lag = DrainLag()
        #expect(lag.last == nil && lag.worst(now: 0) == nil)
        let now = 100 * Self.second
        lag.note(earliest: now - 300, latest: now - 20, now: now)
        #expect(lag.last == 20 && lag.worst(now: now) == 300)
        lag.note(earliest: now + 50, latest: now + 60, now: now + 1)
        #expect(lag.last == 0 && lag.worst(now: now + 1) == 300)
        lag.note(earliest: -(1 << 60), latest: 0, now: now + 2)
        #expect(lag.last == 0 && lag.worst(now: now + 2) == 300)
        lag.note(backlog: 7)
        lag.note(backlog: 3)
        #expect(lag.backlogMaximum == 7)
    }
}
