@testable import Drain
import Platform
import RingReader
import Rules
import Series
import TestSupport
import Testing

@testable import Collector

@Suite("The clock of objectives over a restart") struct RuleClockTests {
    private static let second: Int64 = 1_000_000_000

    private func time(monotonic: Int64, unix: Int64) -> TimeSource {
        TimeSource(monotonic: { monotonic * Self.second }, unix: { unix * Self.second })
    }

    @Test(
        "in one boot it goes on by elapsed time, whatever the wall clock says",
        arguments: [1_700_000_000, 1_800_000_000, 1_600_000_000, 0] as [Int64])
    func sameBoot(unix: Int64) {
        let moment = RuleClock(time(monotonic: 500, unix: 1_700_000_000)).moment(600 * Self.second)
        let clock = RuleClock(restoring: moment, isSameBoot: true, time(monotonic: 630, unix: unix))
        #expect(clock.seconds(630 * Self.second) == 1_700_000_130)
    }

    @Test("in another boot it goes by the wall clock, and never back")
    func otherBoot() {
        let moment = RuleClock(time(monotonic: 500, unix: 1_700_000_000)).moment(600 * Self.second)
        let later = RuleClock(restoring: moment, isSameBoot: false, time(monotonic: 20, unix: 1_700_009_000))
        #expect(later.seconds(21 * Self.second) == 1_700_009_001)
        let earlier = RuleClock(restoring: moment, isSameBoot: false, time(monotonic: 20, unix: 1_690_000_000))
        #expect(earlier.seconds(21 * Self.second) == 1_700_000_101)
        // The state of an older collector has nothing about CLOCK_MONOTONIC.
        let old = RuleMoment(ruleNanoseconds: 1_700_000_100 * Self.second, monotonicNanoseconds: nil)
        let upgraded = RuleClock(restoring: old, isSameBoot: true, time(monotonic: 630, unix: 1_600_000_000))
        #expect(upgraded.seconds(630 * Self.second) == 1_700_000_100)
    }

    @Test("the state says when it was saved, and a file from before that did is still read")
    func kept() throws {
        let folder = TemporaryRingDirectory(under: "/tmp")
        let path = "\(folder.path)/state.sqlite"
        var checkpoint = Checkpoint(unixNanoseconds: 7, bootID: Segment.Identifier(high: 1, low: 2))
        for moment in [nil, RuleMoment(ruleNanoseconds: 123_456_789_012, monotonicNanoseconds: 42)] {
            checkpoint.ruleMoment = moment
            try StateStore(path: path).write(checkpoint)
            let expected = moment ?? RuleMoment(ruleNanoseconds: 7, monotonicNanoseconds: nil)
            #expect(try StateStore(path: path).load()?.saved.ruleMoment == expected)
        }
    }
}
