import Series
import TestSupport
import Testing

@testable import History

@Suite("The clock of retention") struct RetentionClockTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private let start = Scene.start
    private static let year: Int64 = 365 * 86_400

    /// Lets minutes pass under a wall clock that is off by an amount.
    private func run(_ clock: inout RetentionClock, minutes: Int64, from wall: Int64, off: Int64) -> Int64 {
        for minute in 1...minutes { clock.advance(elapsedSeconds: 60, wallSeconds: wall + off + minute * 60) }
        return wall + minutes * 60
    }

    @Test("a clock that is ahead or behind for less than a day moves nothing, however often it is so")
    func steps() {
        var clock = RetentionClock(confirmedSeconds: start)
        var now = start
        for off in [Self.year, -Self.year, 86_400, 3600, -3600, 10 * Self.year, -start] {
            now = run(&clock, minutes: 23 * 60, from: now, off: off)
            #expect(clock.minute(wallSeconds: now + off) <= now / 60, "\(off)")
            #expect(clock.confirmedSeconds == now)
            now = run(&clock, minutes: 1, from: now, off: 0)
            #expect(clock.minute(wallSeconds: now) == now / 60)
        }
    }

    @Test("a clock that is wrong at every start and right soon after moves nothing")
    func wrongAtStart() {
        var clock = RetentionClock(confirmedSeconds: start)
        var now = start
        for _ in 0..<2000 {
            clock.advance(elapsedSeconds: 0, wallSeconds: now + Self.year)
            now = run(&clock, minutes: 1, from: now, off: Self.year)
            now = run(&clock, minutes: 1, from: now, off: 0)
        }
        #expect(clock.confirmedSeconds == now)
    }

    @Test(
        "time in which no collector ran is taken over once the clock has held for a day of running, over restarts too")
    func pause() {
        var clock = RetentionClock(confirmedSeconds: start)
        // The machine is on for eight hours a day.
        var now = start
        for day in 0..<20 {
            clock.advance(elapsedSeconds: 0, wallSeconds: now)
            now = run(&clock, minutes: 8 * 60, from: now, off: 0)
            #expect(now - clock.confirmedSeconds <= 5 * 86_400, "day \(day)")
            now += 16 * 3600
        }
        clock.advance(elapsedSeconds: 0, wallSeconds: now + 100 * 86_400)
        now = run(&clock, minutes: 3 * 1440, from: now + 100 * 86_400, off: 0)
        #expect(clock.confirmedSeconds == now)
    }

    @Test("of a file without a clock nothing is trusted that lies after what is stored")
    func noneYet() throws {
        var clock = RetentionClock(wallSeconds: start + Self.year, newestMinute: start / 60)
        #expect(clock.confirmedSeconds == start + 60)
        clock.advance(elapsedSeconds: 0, wallSeconds: start + Self.year)
        #expect(clock.minute(wallSeconds: start + Self.year) == start / 60 + 1)
        let store = try HistoryStore(path: path)
        #expect(try store.retentionClock() == nil)
        try store.keep(clock)
        #expect(try HistoryStore(path: path).retentionClock() == clock)
    }

    @Test("one pass removes a bounded share of the data, and no series' name before its hours")
    func share() throws {
        var scene = Scene(seed: 1)
        var writer = try Writer(path)
        for _ in 0..<40 * 60 { try writer.write(scene.minute(values: 1)) }
        try writer.store.pack(before: .max)
        let (first, now) = (start / 60, start / 60 + 100 * 1440)
        var left = try #require(try HistoryReader(path: path).minutes()).lowerBound
        #expect(left / 60 == first / 60)
        let gone = try writer.store.retain(HistoryRetention(minutes: 60), now: now, share: 0.125, live: [])
        #expect(gone == [])
        left = try #require(try HistoryReader(path: path).minutes()).lowerBound
        #expect(left / 60 == first / 60 + 5)
        for _ in 0..<40 { _ = try writer.store.retain(HistoryRetention(minutes: 60), now: now, share: 0.125, live: []) }
        #expect(try HistoryReader(path: path).minutes() == nil)
        #expect(try HistoryReader(path: path).series().isEmpty)
    }

    @Test("a file above its size first removes what is dated after the present, to leave room for what comes now")
    func future() throws {
        var scene = Scene(seed: 2)
        var writer = try Writer(path)
        for _ in 0..<120 { try writer.write(scene.minute(values: 60)) }
        try writer.store.pack(before: .max)
        let present = try writer.store.usedBytes()
        let ahead: Int64 = 365 * 1440
        for minute in 0..<Int64(600) {
            var histogram = HistogramMinute.empty
            (histogram.calls, histogram.sum, histogram.minimum, histogram.maximum) = (9, 9, 1, 1)
            histogram.sketch.positive = (0..<60).map { .init(index: $0 * 3, count: UInt64(minute % 7 + 1)) }
            try writer.store.write([
                .init(key: Scene.key, minute: start / 60 + ahead + minute, value: .histogram(histogram))
            ])
        }
        try writer.store.pack(before: .max)
        let bound = try (writer.store.usedBytes() + present) / 2
        let now = start / 60 + 120
        _ = try writer.store.retain(HistoryRetention(bytes: bound), now: now, live: [Scene.key])
        #expect(try writer.store.usedBytes() <= bound)
        #expect(try point(path, start / 60..<now).first?.histogram?.count == 120 * 60)
    }
}
