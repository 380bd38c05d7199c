import SQLite
import Series
import Sketch
import TestSupport
import Testing

@testable import History

@Suite("A history's bounds") struct BoundsTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private let first = Scene.start / 60

    @Test(
        "a full disk stops it and loses nothing stored; what came meanwhile is written when there is room again")
    func fullDisk() throws {
        var scene = Scene(seed: 1)
        var writer = try Writer(path)
        try writer.write(scene.minute(values: 300))
        let pages = try #require(try writer.store.database.integer("PRAGMA page_count"))
        try writer.store.database.run("PRAGMA max_page_count=\(pages + 1)")
        var failures = 0
        for _ in 0..<40 {
            do { try writer.write(scene.minute(values: 300)) } catch {
                failures += 1
                #expect(!(error as! HistoryFailure).isDamage)
            }
        }
        #expect(failures > 10 && failures < 40)
        let stored = try #require(try point(path, first..<first + 60).first?.histogram?.count)
        #expect(stored == UInt64(300 * (41 - failures)))
        try writer.store.database.run("PRAGMA max_page_count=1000000")
        try writer.write(scene.minute(values: 300))
        #expect(try point(path, first..<first + 60).first?.histogram?.count == 300 * 42)
        #expect(try writer.store.database.text("PRAGMA integrity_check") == "ok")
    }

    @Test("hours that are too old are removed, and so are series with nothing left")
    func age() throws {
        var scene = Scene(seed: 2)
        var writer = try Writer(path)
        for _ in 0..<300 { try writer.write(scene.minute(values: 3)) }
        let gone = HistorySeriesKey(bot: "gone", name: "x_total", kind: .counter)
        try writer.store.write([.init(key: gone, minute: first, value: .counter(1))])
        try writer.store.pack(before: .max)
        let now = first + 300
        let removed = try writer.store.retain(HistoryRetention(minutes: 120), now: now, live: [Scene.key])
        #expect(removed == [gone])
        let kept = try #require(try HistoryReader(path: path).minutes())
        #expect(kept.lowerBound > now - 181 && kept.lowerBound <= now - 120)
        #expect(try HistoryReader(path: path).series().contains { $0.key == Scene.key })
    }

    @Test("a file above its size removes its oldest hours, and returns the room to the file system")
    func size() throws {
        var scene = Scene(seed: 3)
        var writer = try Writer(path)
        for _ in 0..<600 { try writer.write(scene.minute(values: 60)) }
        try writer.store.pack(before: .max)
        let before = try writer.store.usedBytes()
        let bound = before * 2 / 3
        _ = try writer.store.retain(HistoryRetention(bytes: bound), now: first + 600, live: [Scene.key])
        let after = try writer.store.usedBytes()
        #expect(after <= bound && after > bound / 3)
        let pages = try #require(try writer.store.database.integer("PRAGMA page_count"))
        #expect(pages * 4096 <= bound + 4096 * 4)
        #expect(try point(path, first + 590..<first + 600).first?.histogram?.count == 600)
        #expect(try point(path, first..<first + 60).isEmpty)
    }

    @Test("bytes of an hour that were damaged anywhere are refused or read as they were, and nothing traps")
    func damagedHour() throws {
        var random = SeededGenerator(seed: 4)
        for tag in [ValueTag.counter, .gauge, .histogram] {
            let block = Self.block(tag, &random)
            let sealed = block.sealed
            #expect(try HourBlock(sealed: sealed) == block)
            for _ in 0..<500 {
                var bytes = sealed
                bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                #expect(throws: HistoryDamage.self) { try HourBlock(sealed: bytes) }
                let cut = Array(sealed.prefix(Int.random(in: 0..<sealed.count, using: &random)))
                #expect(throws: HistoryDamage.self) { try HourBlock(sealed: cut) }
                // The checksum fits here.
                var inner = try SealedBytes.open(sealed)
                for _ in 0..<3 {
                    inner[Int.random(in: inner.indices, using: &random)] = UInt8(truncatingIfNeeded: random.next())
                }
                if let read = try? HourBlock(sealed: SealedBytes.seal(inner, compressing: false)) { Self.merge(read) }
            }
        }
    }

    @Test("an hour that was damaged in the file is shown without what cannot be read, and as not complete")
    func damagedRow() throws {
        var scene = Scene(seed: 6)
        var writer = try Writer(path)
        for _ in 0..<180 { try writer.write(scene.minute(values: 5)) }
        try writer.store.pack(before: .max)
        let hour = first / 60 + 1
        let id = try #require(writer.store.known[Scene.key])
        try writer.store.database.run(
            "UPDATE hour SET body = zeroblob(40) WHERE id = \(HistorySchema.hourID(hour: hour, series: id))")
        let whole = try #require(try point(path, (hour - 1) * 60..<(hour + 2) * 60, step: 60) as [HistoryPoint]?)
        #expect(whole.map { $0.histogram?.count == 0 } == [false, true, false])
        #expect(!whole[1].isComplete)
        #expect(try point(path, (hour + 1) * 60..<(hour + 1) * 60 + 30).map(\.isComplete) == [true])
    }

    private static func block(_ tag: ValueTag, _ random: inout SeededGenerator) -> HourBlock {
        var block = HourBlock(tag: tag)
        for minute in 0..<60 where minute % 5 != 0 {
            switch tag {
            case .counter: block.merge(.counter(Double(minute) - 20.5), atMinute: minute)
            case .gauge:
                block.merge(.gauge(GaugeMinute(minimum: -1, maximum: 5, last: random.unit())), atMinute: minute)
            case .histogram:
                var sketch = ExponentialSketch()
                for _ in 0..<40 { sketch.insert(random.normal()) }
                sketch.insert(0)
                block.merge(
                    .histogram(
                        HistogramMinute(
                            calls: 42, failed: 1, sum: random.normal(), minimum: -4, maximum: 4,
                            sketch: sketch.snapshot())), atMinute: minute)
            }
        }
        return block
    }

    /// Uses everything that was read.
    private static func merge(_ block: HourBlock) {
        let merged = MergedMinutes()
        for value in block.minutes { if let value { merged.add(value) } }
        _ = merged.histogram(quantiles: HistogramPoint.quantiles)
    }

    @Test("a file that is not a history, or one of another format, is refused as damage")
    func foreign() throws {
        RingFile.make(path, Array(repeating: 0x41, count: 5000))
        let failure = #expect(throws: HistoryFailure.self) { try HistoryStore(path: path) }
        #expect(failure?.isDamage == true)
        let other = "\(folder.path)/other.db"
        let store = try HistoryStore(path: other)
        try store.database.run("PRAGMA user_version=99")
        let version = #expect(throws: HistoryFailure.self) { try HistoryReader(path: other) }
        #expect(version?.isDamage == true && version?.description.contains("99") == true)
        // A database of another program is left as it was.
        let foreign = "\(folder.path)/foreign.db"
        let database = try Database(path: foreign, busyMilliseconds: 100)
        try database.run("CREATE TABLE t (x)")
        let before = RingFile(foreign).bytes()
        let refusal = #expect(throws: HistoryFailure.self) { try HistoryStore(path: foreign) }
        #expect(refusal?.description.contains("it is not a history of ringside") == true)
        #expect(RingFile(foreign).bytes() == before)
    }

    @Test("a copy of the live file is whole and stands by itself")
    func backup() throws {
        var scene = Scene(seed: 5)
        var writer = try Writer(path)
        for _ in 0..<70 { try writer.write(scene.minute(values: 9)) }
        let copy = "\(folder.path)/copy.db"
        try HistoryReader(path: path).backUp(to: copy)
        try writer.write(scene.minute(values: 9))
        #expect(folder.entries().filter { $0.hasPrefix("copy.db") } == ["copy.db"])
        let range = first..<first + 100
        #expect(try point(copy, range).first?.histogram?.count == 9 * 70)
        #expect(try point(path, range).first?.histogram?.count == 9 * 71)
    }
}
