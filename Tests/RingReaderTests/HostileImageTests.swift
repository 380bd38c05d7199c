import CRingside
import Glibc
import RingReader
import TestSupport
import Testing

/// Files that no producer has made. With any bytes the result is an error of a known kind, or data within bounds, and
/// never a trap.
@Suite struct HostileImageTests {
    /// Returns the bytes of a small sound ring with some of everything.
    private static func image() throws -> [UInt8] {
        let ring = try TestRing(records: 64, metrics: 8)
        for name in ["a", "b", "c"] { try ring.register(name) }
        for index in 0..<100 { ringside_value(ring.producer, UInt32(index % 3), Double(index), 0) }
        return RingFile(ring.path).bytes()
    }

    private let directory = TemporaryRingDirectory()

    private func place(_ bytes: [UInt8]) -> String {
        let path = directory.ring("image")
        RingFile.make(path, bytes)
        return path
    }

    /// Reads everything in a ring, and returns how much that was.
    @discardableResult
    private func readAll(_ segment: Segment) -> Int {
        var seen = segment.lives().count + segment.metricCount
        for index in 0..<segment.metricCount {
            seen += segment.metric(index)?.labels.count ?? 0
            seen += segment.controlWord(index).isEnabled ? 1 : 0
            seen += Int(truncatingIfNeeded: segment.cell(index).first & 1) + Int(segment.metricLife(index) & 1)
        }
        for number: UInt64 in [0, 1, .max, segment.lifeCount] { seen += segment.life(number) == nil ? 0 : 1 }
        seen += Int(segment.controlChanges & 1) + Int(segment.sampledOut & 1) + Int(segment.refusedMetrics & 1)
        seen += segment.isClosed ? 1 : 0
        seen += segment.isProducerAlive ? 1 : 0
        seen += segment.textBytesUsed + Int(segment.ticksPerSecond & 1)
        var cursor = RingCursor(segment)
        withUnsafeTemporaryAllocation(of: ringside_record.self, capacity: RingCursor.batchLimit) { buffer in
            for _ in 0..<2000 {
                let batch = cursor.read(segment, into: buffer.baseAddress!)
                #expect(batch.count >= 0 && batch.offset >= 0 && batch.offset + batch.count <= RingCursor.batchLimit)
                seen += batch.count
                if batch.isCaughtUp { return }
            }
            Issue.record("a reader of a still file must come to its end")
        }
        return seen
    }

    private func open(_ path: String, isSalvaging: Bool = false) -> Segment? {
        do throws(RingError) {
            return try Segment(name: RingName("image")!, path: path, isSalvaging: isSalvaging)
        } catch {
            #expect(error.description.contains(path))
            return nil
        }
    }

    @Test("the image itself is sound")
    func sound() throws {
        let segment = try #require(open(place(try Self.image())))
        #expect(segment.metricCount == 3 && segment.position == 100 && segment.lives().count == 1)
        #expect(readAll(segment) > 63)
    }

    @Test("any few bytes changed anywhere are an error or bounded data", arguments: 0..<8)
    func randomBytes(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let image = try Self.image()
        // Most bytes of a ring are its records, so half of the changes go to its structure.
        let structured = Int(RingFile(place(image)).header().records.offset)
        var opened = 0
        for _ in 0..<150 {
            var damaged = image
            for _ in 0..<Int.random(in: 1...16, using: &random) {
                let limit = [512, 0x1200, structured, damaged.count].randomElement(using: &random)!
                damaged[Int.random(in: 0..<limit, using: &random)] = [
                    0, 1, 0x7f, 0x80, 0xff, .random(in: 0...255, using: &random),
                ]
                .randomElement(using: &random)!
            }
            let path = place(damaged)
            if let segment = open(path) {
                readAll(segment)
                opened += 1
            }
        }
        #expect(opened > 0 && opened < 150)
    }

    @Test("any word of the header may be anything", arguments: 0..<4)
    func headerWords(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(50 + seed))
        let image = try Self.image()
        let words: [UInt64] = [0, 1, 2, 7, 8, 64, 4096, 0xffff, 0xffff_ffff, 1 << 32, 1 << 63, .max, .max - 7]
        for word in 0..<64 {
            var damaged = image
            let value = [words.randomElement(using: &random)!, random.next()].randomElement(using: &random)!
            withUnsafeBytes(of: value) { bytes in
                damaged.replaceSubrange(word * 8..<word * 8 + 8, with: bytes)
            }
            if let segment = open(place(damaged)) { readAll(segment) }
        }
    }

    @Test("a file cut anywhere is refused")
    func truncated() throws {
        let image = try Self.image()
        var random = SeededGenerator(seed: 3)
        let cuts =
            [0, 1, 7, 8, 511, 512, 513, 4096, image.count - 1]
            + (0..<40).map { _ in Int.random(in: 0..<image.count, using: &random) }
        for bytes in cuts {
            let path = place(Array(image.prefix(bytes)))
            let error = #expect(throws: RingError.self) { try Segment(name: RingName("image")!, path: path) }
            switch error {
            case .tooShort where bytes < 512: break
            case .geometry where bytes >= 512: break
            default: Issue.record("cut to \(bytes): \(String(describing: error))")
            }
        }
    }

    @Test("a truncated file that is salvaged gives what is there")
    func salvaged() throws {
        let image = try Self.image()
        for bytes in stride(from: 512, through: image.count, by: 4093) {
            let path = place(Array(image.prefix(bytes)))
            let segment = try #require(open(path, isSalvaging: true), "cut to \(bytes)")
            _ = segment.lives()
            for index in 0..<segment.readableMetricCount { _ = segment.metric(index) }
            #expect(segment.geometry.segmentBytes == bytes)
        }
    }

    /// The values written at offsets of the header, and the check that refuses each.
    static let rungs: [(offset: UInt64, value: UInt64, bytes: Int, rung: String)] = [
        (0, 0x55, 1, "not a ring"), (8, 0x0403_0201, 4, "other byte order"), (12, 0, 4, "no version"),
        (12, 7 << 16, 4, "version 7.0"), (16, 12345, 8, "12345 bytes"), (72, 1 << 40, 8, "region lives"),
        (80, 8, 4, "region lives"), (96, 0, 4, "region metrics"), (100, 99999, 4, "region metrics"),
        (104, .max - 7, 8, "region text"), (120, 3, 8, "region control"), (160, 4, 4, "producer"),
        (164, 2, 4, "producer"), (176, 12, 4, "region cells"), (180, 1, 4, "fewer cells"), (148, 1, 4, "fewer cells"),
        (192, 64, 4, "records"), (196, 63, 4, "power of two"), (196, 1, 4, "records"),
    ]

    @Test("each failed check has an error of its own that says what was found", arguments: rungs)
    func rung(offset: UInt64, value: UInt64, bytes: Int, rung: String) throws {
        let path = place(try Self.image())
        let file = RingFile(path)
        switch bytes {
        case 1: file.write(UInt8(value), at: offset)
        case 4: file.write(UInt32(value), at: offset)
        default: file.write(value, at: offset)
        }
        let error = #expect(throws: RingError.self) { try Segment(name: RingName("image")!, path: path) }
        #expect(error?.description.contains(rung) == true, "\(error?.description ?? "")")
    }

    @Test("regions that lie over each other, or over the header, are read within bounds")
    func overlapping() throws {
        let path = place(try Self.image())
        let file = RingFile(path)
        for offset in [72, 88, 104, 120, 136, 152, 168, 184] as [UInt64] { file.write(UInt64(0), at: offset) }
        if let segment = open(path) { readAll(segment) }
    }

    @Test("an unknown minor version is read, with longer items and a longer header")
    func minorVersion() throws {
        let path = place(try Self.image())
        RingFile(path).write(UInt32(RINGSIDE_ABI_VERSION + 41), at: 12)
        let segment = try #require(open(path))
        #expect(segment.geometry.versionMinor == UInt32(RINGSIDE_ABI_MINOR) + 41 && segment.position == 100)
    }

    @Test(
        "lives that count past all bounds, or in circles, are read within bounds", arguments: [0, 17, .max] as [UInt64])
    func lives(count: UInt64) throws {
        let path = place(try Self.image())
        RingFile(path).write(count, at: 256)
        let segment = try #require(open(path))
        #expect(segment.lives().count <= 15 && segment.lifeCount == count)
        readAll(segment)
    }

    @Test("counts past all bounds are limited to what is there")
    func counts() throws {
        let path = place(try Self.image())
        let file = RingFile(path)
        file.write(UInt64.max, at: file.header().producer.offset + 8)
        file.write(UInt64.max, at: 264)
        let segment = try #require(open(path))
        #expect(segment.metricCount == 8 && segment.textBytesUsed == segment.geometry.text.itemCount)
        #expect(segment.metric(7) == nil)
    }

    @Test("texts that lead out of the arena, or are no text, make no metric", arguments: [8, 16, 24] as [UInt64])
    func texts(field: UInt64) throws {
        let path = place(try Self.image())
        let file = RingFile(path)
        let arena = UInt32(file.header().text.item_count)
        for text in [
            ringside_text_make(arena, 1, 0), ringside_text_make(.max, 0xffff, 0), ringside_text_make(arena - 1, 2, 1),
            ringside_text_make(0, 0xffff, 16),
        ] {
            file.write(text, at: file.header().metrics.offset + field)
            let segment = try #require(open(path))
            #expect(segment.metric(0) == nil && segment.metric(1) != nil)
        }
    }

    @Test("any position is read to an end", arguments: [0, 1, 63, 64, 1 << 32, 1 << 63, .max] as [UInt64])
    func positions(position: UInt64) throws {
        let path = place(try Self.image())
        RingFile(path).setPosition(position)
        let segment = try #require(open(path))
        readAll(segment)
        var reader = CheckingReader(segment)
        reader.readToEnd()
        #expect(reader.accounted == position)
    }

    @Test("a file that is not regular is refused", arguments: ["folder", "pipe", "link", "nothing"])
    func notAFile(kind: String) throws {
        let path = directory.ring(kind)
        if kind == "folder" { mkdir(path, 0o755) }
        if kind == "pipe" { mkfifo(path, 0o644) }
        if kind == "link" { symlink("/etc/passwd", path) }
        let error = #expect(throws: RingError.self) { try Segment(name: RingName("image")!, path: path) }
        switch (kind, error) {
        case ("folder", .notARegularFile), ("pipe", .notARegularFile), ("link", .open(_, ELOOP)),
            ("nothing", .open(_, ENOENT)):
            break
        default: Issue.record("\(kind): \(String(describing: error))")
        }
    }
}
