import Platform
import Glibc
import History
import Series
import TestSupport
import Testing

@testable import Collector

/// Tests a recorder's minutes under a wall clock that is set, while retention is active.
@Suite("The recorder of a history whose clock is set") struct HistoryClockTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private static let start: Int64 = 1_700_000_040
    private static let year: Int64 = 365 * 86_400

    /// Runs of a collector one after the other, minute by minute. Each run has a wall clock of its own.
    private struct Course {
        let path: String
        var recorder: HistoryRecorder
        /// The seconds that really passed.
        var elapsed: Int64 = 0
        var off: Int64 = 0
        var total = 0.0

        init(_ path: String, off: Int64 = 0) {
            self.path = path
            self.off = off
            recorder = Self.recorder(path, elapsed: 0, off: off, isStateRestored: false)
        }

        private static func recorder(
            _ path: String, elapsed: Int64, off: Int64, isStateRestored: Bool
        ) -> HistoryRecorder {
            HistoryRecorder(
                path: path, retention: HistoryRetention(minutes: 180), isStateRestored: isStateRestored,
                startedUnixNanoseconds: (start + elapsed + off) * 1_000_000_000,
                startedMonotonicNanoseconds: (elapsed + 5) * 1_000_000_000, logger: Logger(level: .error))
        }

        mutating func restart(off: Int64) {
            self.off = off
            recorder = Self.recorder(path, elapsed: elapsed, off: off, isStateRestored: true)
        }

        mutating func minutes(_ count: Int) {
            for _ in 0..<count {
                elapsed += 60
                total += 10
                record()
            }
        }

        /// Sets the clock, and lets the recorder notice it.
        mutating func step(to off: Int64) {
            self.off = off
            record()
        }

        private func record() {
            let unix = (Self.start + elapsed + off) * 1_000_000_000
            var snapshot = emptySnapshot(unixNanoseconds: unix)
            snapshot.monotonicNanoseconds = (elapsed + 5) * 1_000_000_000
            let metric = MetricSnapshot(
                name: "x_total", help: "", unit: .none, labels: [],
                reading: .counter(
                    CounterSnapshot(value: .real(total), rate: nil, windows: [], watchedIncrease: total)))
            snapshot.bots = [
                BotSnapshot(name: "alpha", isUp: true, labels: [], rings: [], metrics: [metric], windows: [])
            ]
            recorder.record(snapshot)
            #expect(recorder.status.failure == nil)
        }

        private static var start: Int64 { HistoryClockTests.start }
    }

    /// Returns the increase stored for a stretch of time.
    private func increase(from: Int64 = 0, to: Int64) throws -> Double {
        let first = Self.start / 60
        let answer = try HistoryReader(path: path).answer(
            HistoryQuery(metric: "x_total", minutes: first + from..<first + to, stepMinutes: to - from))
        guard case .counter(let increase)? = answer.series.first?.points.first?.reading else { return 0 }
        return increase
    }

    @Test("a year ahead for a minute and back: what was stored stays, and later minutes are stored")
    func yearAhead() throws {
        var course = Course(path)
        course.minutes(170)
        course.step(to: Self.year)
        course.minutes(1)
        course.step(to: 0)
        course.minutes(4)
        #expect(try increase(to: 175) == 1740)
        #expect(try increase(to: 175 + Self.year / 60) == course.total)
        #expect(try increase(from: 171, to: 175) == 40)
    }

    @Test("a clock that is set back and forth deletes nothing", arguments: [year, 86_400, -7200] as [Int64])
    func toAndFro(by seconds: Int64) throws {
        var course = Course(path)
        course.minutes(170)
        for _ in 0..<30 {
            course.step(to: seconds)
            course.minutes(1)
            course.step(to: 0)
            course.minutes(1)
        }
        // A clock that is behind adds to minutes that already exist.
        let before = try increase(to: 170)
        #expect(seconds < 0 ? before > 1700 : before == 1700)
        #expect(try increase(from: 170, to: 230) >= 300)
        #expect(try increase(from: min(0, seconds / 60), to: 240 + max(0, seconds / 60)) == course.total)
    }

    @Test("one hour back: every minute is stored at once, and those that come twice are added up")
    func hourBack() throws {
        var course = Course(path)
        course.minutes(100)
        course.step(to: -3600)
        for minute in 1...4 {
            course.minutes(1)
            #expect(try increase(to: 101) == course.total, "\(minute)")
        }
        course.minutes(96)
        #expect(try increase(to: 141) == course.total)
        #expect(try increase(from: 40, to: 100) == 1200)
    }

    @Test("a collector that starts under a wrong clock deletes nothing, nor after the clock is right")
    func wrongAtStart() throws {
        var course = Course(path)
        course.minutes(170)
        course.restart(off: Self.year)
        course.minutes(3)
        course.restart(off: Self.year)
        course.minutes(3)
        course.step(to: 0)
        course.minutes(2)
        #expect(try increase(to: 170) == 1700)
        #expect(try increase(from: 176, to: 178) == 20)
        #expect(try increase(to: 180 + Self.year / 60) == course.total)
        // The time is long ago, as on a machine without a battery.
        course.restart(off: -course.elapsed - Self.start + 60)
        course.minutes(2)
        course.step(to: 0)
        course.minutes(1)
        #expect(try increase(to: 170) == 1700)
        #expect(try increase(from: 180, to: 181) == 10)
    }

    @Test("minutes that are too old by elapsed time are removed, hour by hour")
    func age() throws {
        var course = Course(path)
        course.minutes(600)
        #expect(try increase(to: 300) == 0)
        #expect(try increase(from: 420, to: 600) == 1800)
        #expect(try HistoryReader(path: path).series().contains { $0.key.name == "x_total" })
    }

    @Test("the time to the next minute is within a minute, whatever the clock says")
    func nextMinute() {
        for unix in [0, 1, -1, 59_999_999_999, 60_000_000_000, -60_000_000_000, .min, .max] as [Int64] {
            #expect((1...60_000_000_000).contains(nanosecondsToNextMinute(unixNanoseconds: unix)), "\(unix)")
        }
        #expect(nanosecondsToNextMinute(unixNanoseconds: 61_000_000_000) == 59_000_000_000)
    }
}
