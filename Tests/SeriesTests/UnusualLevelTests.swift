import Glibc
import TestSupport
import Testing

@testable import Series

/// A level that a test reads minute by minute.
private struct Minutes {
    var level: UnusualLevel
    private(set) var now: Int64 = 5_000_000_000
    /// The wall clock; a Monday, 00:00 UTC.
    var unix = LevelTrial.begin
    private(set) var states: [UnusualLevel.State] = []
    private var random: SeededGenerator

    init(_ figure: LevelFigure = .rate, seed: UInt64 = 1) {
        level = UnusualLevel(figure)
        random = SeededGenerator(seed: seed)
    }

    /// Returns a factor of a few percent to either side.
    mutating func noise() -> Double { 1 + Double.random(in: -0.05...0.05, using: &random) }

    mutating func pass(_ minutes: Int64) {
        now += minutes * 60_000_000_000
        unix += minutes * 60
    }

    /// Reads a figure for a number of minutes. It may depend on the minute of the day.
    mutating func read(_ minutes: Int64, _ value: (_ minuteOfDay: Int64) -> Double) {
        for _ in 0..<minutes {
            pass(1)
            let minute = (unix / 60) % 1440
            _ = level.read(value(minute) * noise(), now: now, unixSeconds: unix)
            states.append(level.state)
        }
    }

    /// Returns how often the level became unusual since the last call.
    mutating func takeAlarms() -> Int {
        defer { states = [level.state] }
        return zip(states, states.dropFirst()).count {
            [.high, .low].contains($1) && ![.high, .low].contains($0)
        }
    }
}

/// Returns a rate that is eight times as high from 13:30 to 20:00 UTC as before and after.
private func sessionRate(_ minute: Int64) -> Double { (810..<1200).contains(minute) ? 40_000 : 5_000 }

@Suite struct UnusualLevelTests {
    @Test("a level is learned for half an hour, in which nothing is unusual whatever comes")
    func learning() {
        var random = SeededGenerator(seed: 3)
        var minutes = Minutes()
        minutes.read(30) { _ in pow(10, Double.random(in: 0...6, using: &random)) }
        #expect(minutes.states.allSatisfy { $0 == .learning } && minutes.level.range == nil)
        minutes.read(1) { _ in 1000 }
        #expect(minutes.level.state == .usual && minutes.level.range?.basis == .recent)
    }

    @Test("what is no number is not read, nor is a quantile at 0 or below")
    func noNumbers() {
        let cases: [(LevelFigure, [Double])] = [(.quantile, [0, -1, .nan, .infinity]), (.gauge, [.nan, -.infinity])]
        for (figure, values) in cases {
            var level = UnusualLevel(figure)
            for value in values { _ = level.read(value, now: 1, unixSeconds: LevelTrial.begin) }
            #expect(level.readings == 0)
        }
    }

    @Test(
        "a position and its value are inverse, whatever the figure", arguments: [LevelFigure.rate, .quantile, .gauge])
    func positions(figure: LevelFigure) throws {
        var last: Int16 = .min
        for exponent in stride(from: -20.0, through: 20, by: 0.37) {
            let value = pow(10, exponent)
            let position = try #require(figure.position(of: value))
            #expect(position >= last)
            last = position
            let back = figure.value(at: Double(position))
            // The error is half a part of an octave. Near 0 a rate and a gauge do not change.
            let (scale, least) = figure == .quantile ? (value, 0) : (value + 1, 1e-300)
            #expect(abs(back - value) <= 0.0015 * scale + least, "\(value) \(back)")
            guard figure == .gauge else { continue }
            #expect(try #require(figure.position(of: -value)) == -position)
        }
    }

    @Test("a feed that falls from 5,000 a second to 50 is low within four minutes, and usual again when it is back")
    func fallen() {
        var minutes = Minutes()
        minutes.read(60) { _ in 300_000 }
        #expect(minutes.takeAlarms() == 0)
        minutes.read(4) { _ in 3_000 }
        #expect(minutes.level.state == .low && minutes.level.sinceUnixSeconds == minutes.unix - 60)
        minutes.read(3) { _ in 300_000 }
        #expect(minutes.level.state == .usual && minutes.takeAlarms() == 1)
    }

    @Test("two minutes that are out raise no alarm, however far they are out", arguments: [1e-3, 20, 1e6])
    func spike(factor: Double) {
        var minutes = Minutes()
        minutes.read(60) { _ in 300_000 }
        for _ in 0..<20 {
            minutes.read(2) { _ in 300_000 * factor }
            minutes.read(8) { _ in 300_000 }
        }
        #expect(minutes.takeAlarms() == 0)
    }

    @Test("a level that stays becomes the usual one, but no sooner than after an hour")
    func stays() throws {
        var minutes = Minutes()
        minutes.read(120) { _ in 20_000 }
        minutes.read(60) { _ in 60_000 }
        #expect(minutes.level.state == .high)
        minutes.read(120) { _ in 60_000 }
        #expect(minutes.level.state == .usual)
        #expect(try #require(minutes.level.range).level > Double(#require(LevelFigure.rate.position(of: 50_000))))
    }

    @Test("once three working days are known, a daily session is usual, and its absence is not")
    func session() {
        var minutes = Minutes()
        minutes.read(3 * 1440, day)
        _ = minutes.takeAlarms()
        // These are Thursday and Friday.
        minutes.read(2 * 1440 - 1, day)
        #expect(minutes.takeAlarms() == 0)
        #expect(minutes.level.range?.basis == .timeOfDay(days: 4))
        // Two days follow that have not been seen before, then Monday.
        minutes.read(2 * 1440 + 1, day)
        minutes.read(1440, day)
        _ = minutes.takeAlarms()
        // The session does not begin on Tuesday. That is reported at 14:30 at the latest.
        minutes.read(14 * 60 + 30, { _ in 5_000 })
        #expect(minutes.level.state == .low && minutes.takeAlarms() == 1)
    }

    @Test("a day's incident leaves the ranges of the next days as they were; it is unusual there again")
    func incident() throws {
        var minutes = Minutes()
        minutes.read(12 * 1440, day)
        // Saturday is over. Sunday follows, then Monday with ten times as much all morning.
        minutes.read(2 * 1440, day)
        let before = minutes.level
        minutes.read(12 * 60) { day($0) * ($0 >= 480 ? 10 : 1) }
        #expect(minutes.level.state == .high)
        minutes.read(12 * 60, day)
        _ = minutes.takeAlarms()
        // On Tuesday the same is still unusual.
        minutes.read(8 * 60, day)
        #expect(minutes.takeAlarms() == 0)
        let range = try #require(minutes.level.range)
        let earlier = try #require(before.range)
        #expect(range.high <= earlier.high + 256)
        minutes.read(4) { day($0) * 10 }
        #expect(minutes.level.state == .high)
    }

    @Test("a weekend without a reading, and a month of it, leave no alarm; after the month it learns again")
    func gaps() {
        var minutes = Minutes()
        minutes.read(5 * 1440, day)
        _ = minutes.takeAlarms()
        minutes.pass(2 * 1440)
        #expect(!minutes.level.isFresh(now: minutes.now))
        minutes.read(1, day)
        #expect(minutes.level.state == .usual && minutes.level.range?.basis == .timeOfDay(days: 5))
        minutes.read(1439, day)
        #expect(minutes.takeAlarms() == 0)
        minutes.pass(35 * 1440)
        minutes.read(1) { _ in 1_000_000 }
        #expect(minutes.level.state == .learning)
    }

    @Test(
        "a wall clock that is set, to and fro or for good, puts no more than a day of one half hour in a wrong place",
        .enabled(if: !isShortRun),
        arguments: ([3600, -86_400 * 40, -3600, 86_400 * 20, 5 * 3600] as [Int64]).ordinarily(oneOf: 2))
    func clock(step: Int64) {
        var minutes = Minutes()
        minutes.read(12 * 1440, day)
        // It is Monday after two weekends.
        minutes.read(2 * 1440 + 600, day)
        _ = minutes.takeAlarms()
        minutes.unix += step
        minutes.read(10) { _ in 5_000 }
        minutes.unix -= step
        minutes.read(1440 - 610, day)
        minutes.read(1440, day)
        #expect(minutes.takeAlarms() <= 1)
        // The earlier learning is still there.
        #expect(minutes.level.range?.basis == .timeOfDay(days: 5))
    }

    @Test(
        "what is kept goes on over a restart as if there had been none", .enabled(if: !isShortRun),
        arguments: (0..<4).ordinarily(oneOf: 2))
    func restart(seed: Int) throws {
        for shape in [GeneratedFigure.Shape.market, .latency, .gauge] {
            var trial = LevelTrial(shape, seed: seed)
            trial.run(until: LevelTrial.begin + 86_400 * 4 + Int64(seed) * 777 * 60)
            let kept = trial.level.checkpointState(.rate, lane: "")
            let level = try #require(UnusualLevel(trial.level.figure, kept))
            var other = trial
            other.level = level
            #expect(level.checkpointState(.rate, lane: "") == kept)
            for _ in 0..<2000 {
                trial.minute()
                other.minute()
            }
            #expect(other.level.checkpointState(.rate, lane: "") == trial.level.checkpointState(.rate, lane: ""))
            #expect(other.alarms == trial.alarms)
        }
    }

    @Test("what was kept and cannot be a level's is refused")
    func hostile() {
        let good = UnusualLevel(.rate).checkpointState(.rate, lane: "")
        #expect(good.isValid)
        let damages: [(inout LevelState) -> Void] = [
            { $0.state = 9 }, { $0.score = 4 }, { $0.score = -128 },
            { $0.recent = Array(repeating: 0, count: 61) }, { $0.days = [] }, { $0.days = [[1], [], []] },
            { $0.days = [Array(repeating: 5, count: 479) + [4], [], []] }, { $0.halfHourReadings = 61 },
            { ($0.halfHourReadings, $0.low, $0.high) = (1, 2, 1) }, { $0.lastUnixSeconds = .min },
            { $0.halfHour = .max }, { $0.lastDay = .min }, { $0.value = .nan }, { $0.sinceUnixSeconds = .max },
        ]
        for damage in damages {
            var bad = good
            damage(&bad)
            #expect(!bad.isValid, "\(bad)")
        }
    }

    @Test("the average run length is that of the score's own walk", arguments: [0.05, 0.2, 0.5, 0.9])
    func runLength(p: Double) {
        var random = SeededGenerator(seed: 5)
        var total = 0
        let runs = p < 0.1 ? 300 : 3000
        for _ in 0..<runs {
            var score = 0
            while score < Int(UnusualLevel.alarmScore) {
                total += 1
                score = Double.random(in: 0..<1, using: &random) < p ? score + 1 : max(0, score - 1)
            }
        }
        let measured = Double(total) / Double(runs)
        #expect(abs(measured / UnusualLevel.averageRunLength(p) - 1) < (p < 0.1 ? 0.25 : 0.1), "\(measured)")
    }

    @Test("a level takes less memory than the page says")
    func memory() {
        var minutes = Minutes()
        minutes.read(8 * 1440, day)
        #expect(minutes.level.allocatedBytes <= 2700, "\(minutes.level.allocatedBytes)")
        #expect(UnusualLevel(.rate).allocatedBytes <= 250)
    }

    /// Returns the rate of a day with a session.
    private func day(_ minute: Int64) -> Double { sessionRate(minute) }
}
