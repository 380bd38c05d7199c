import Series
import TestSupport
import Testing

@testable import History

/// Tests a bot's minutes under a wall clock that is set, stalls included.
@Suite("A history whose clock is set") struct ClockStepTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private let first = Scene.start / 60

    /// A writer whose wall clock is off by an amount that can change. CLOCK_MONOTONIC is that of the scene.
    private struct Clock {
        var scene: Scene
        var writer: Writer
        var offset: Int64 = 0

        init(_ path: String, seed: UInt64) throws {
            scene = Scene(seed: seed)
            writer = try Writer(path)
        }

        mutating func minute(values: Int) throws { try write(scene.minute(values: values)) }

        mutating func write(_ snapshot: Snapshot) throws {
            var snapshot = snapshot
            snapshot.unixNanoseconds += offset * 1_000_000_000
            try writer.write(snapshot)
        }
    }

    private func counts(_ minutes: Range<Int64>) throws -> [UInt64] {
        try point(path, minutes, step: 1).map { $0.histogram?.count ?? 0 }
    }

    @Test(
        "a clock that is ahead for a while loses nothing: its minutes are dated as it went, and later ones are right again",
        arguments: [365 * 86_400, 3600, 90] as [Int64])
    func ahead(by seconds: Int64) throws {
        var clock = try Clock(path, seed: 1)
        for _ in 0..<3 { try clock.minute(values: 10) }
        clock.offset = seconds
        // The step is noticed: everything until then is of the clock before it.
        try clock.write(clock.scene.snapshot)
        try clock.minute(values: 20)
        clock.offset = 0
        try clock.write(clock.scene.snapshot)
        for _ in 0..<3 { try clock.minute(values: 30) }
        let wrong = first + 3 + (seconds + 30) / 60
        #expect(try point(path, first..<max(wrong, first + 7) + 1).first?.histogram?.count == 140)
        #expect(try point(path, wrong..<wrong + 1).first?.histogram?.count ?? 0 >= 20)
        #expect(try counts(first..<first + 3) == [10, 10, 10])
        #expect(try point(path, first + 6..<first + 7).first?.histogram?.count == 30)
        try clock.writer.store.pack(before: .max)
        #expect(try point(path, first..<max(wrong, first + 7) + 1).first?.histogram?.count == 140)
        // A restarted collector continues from all of it.
        var next = try Writer(path, .restored, at: clock.scene.unixNanoseconds)
        try next.write(clock.scene.minute(values: 5))
        #expect(try point(path, first..<max(wrong, first + 8) + 1).first?.histogram?.count == 145)
    }

    @Test(
        "minutes that come twice, since the clock was set back, are added up, and none of them is said to be complete")
    func back() throws {
        var clock = try Clock(path, seed: 2)
        for _ in 0..<70 { try clock.minute(values: 10) }
        try clock.writer.store.pack(before: (first / 60 + 1) * 60)
        clock.offset = -3600
        try clock.write(clock.scene.snapshot)
        for _ in 0..<70 { try clock.minute(values: 7) }
        let values = try counts(first..<first + 80)
        #expect(values == (0..<80).map { $0 < 10 ? 10 : $0 < 70 ? 17 : 7 })
        let points = try point(path, first..<first + 80, step: 1)
        #expect(points.map(\.isComplete) == (0..<80).map { $0 < 10 || $0 >= 70 })
        #expect(abs(points[20].watchedSeconds - 120) < 1e-6)
        try clock.writer.store.pack(before: .max)
        #expect(try point(path, first..<first + 80, step: 1) == points)
    }

    @Test(
        "a minute that has values from beyond its end is not complete, nor is the next, which lacks them",
        arguments: [1.5, 3, 8, 25] as [Double])
    func stall(seconds: Double) throws {
        var clock = try Clock(path, seed: 3)
        for _ in 0..<2 { try clock.minute(values: 60) }
        // This happens twice in a row: the minute between them has the right length, and the wrong values.
        for late in [seconds, seconds, 0] {
            var snapshot = clock.scene.minute(values: 60)
            snapshot.unixNanoseconds += Int64(late * 1e9)
            snapshot.monotonicNanoseconds = snapshot.unixNanoseconds
            try clock.write(snapshot)
        }
        try clock.minute(values: 60)
        let points = try point(path, first..<first + 6, step: 1)
        #expect(points.map(\.isComplete) == [true, true, false, false, false, true])
        #expect(abs(points[2].watchedSeconds - 60 - seconds) < 1e-6)
        #expect(abs(points.reduce(0) { $0 + $1.watchedSeconds } - 360) < 1e-6)
    }

    @Test("a snapshot some milliseconds late leaves a minute complete")
    func punctual() throws {
        var clock = try Clock(path, seed: 4)
        for minute in 0..<5 {
            var snapshot = clock.scene.minute(values: 60)
            snapshot.unixNanoseconds += Int64(minute % 2) * 180_000_000
            snapshot.monotonicNanoseconds = snapshot.unixNanoseconds
            try clock.write(snapshot)
        }
        #expect(try point(path, first..<first + 5, step: 1).allSatisfy(\.isComplete))
    }

    @Test("clocks at the ends of what a number holds trap nowhere")
    func extremes() throws {
        var clock = try Clock(path, seed: 5)
        for unix in [Int64.max, .min, 0, -1, Scene.start * 1_000_000_000] {
            var snapshot = clock.scene.minute(values: 1)
            snapshot.unixNanoseconds = unix
            try clock.writer.write(snapshot)
        }
        for monotonic in [Int64.min, .max] {
            var snapshot = clock.scene.minute(values: 1)
            snapshot.monotonicNanoseconds = monotonic
            try clock.writer.write(snapshot)
        }
        try clock.writer.store.pack(before: .max)
        #expect(try clock.writer.store.totals()[Scene.key] != nil)
    }
}
