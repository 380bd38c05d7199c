import CRingside
import FoundationEssentials
import Ringside
import TestSupport
import Testing

@Suite struct DamageTests {
    private let directory = TemporaryRingDirectory()
    private let path: String
    private let file: RingFile
    private let header: ringside_header

    init() throws {
        try withTradingRing("alpha", in: directory)
        path = directory.ring("alpha")
        file = RingFile(path)
        header = file.header()
    }

    @Test("each kind of damage is one line that says where and what was expected")
    func kinds() throws {
        let sound = file.bytes()
        let (metrics, cells, records) = (header.metrics.offset, header.cells.offset, header.records.offset)
        let cases: [(offset: UInt64, word: UInt64, line: String)] = [
            (64, 100, "header: header size: 100 bytes, expected 512"),
            (200, 1, "header: reserved bytes: not zero, expected zero"),
            (16, 99, "header: segment size: 99 bytes, expected \(sound.count) as the file has"),
            (104, 1 << 40, "header: region text: 10240 items of 1 bytes at 1099511627776 do not fit"),
            (256, 0, "lives: life count: 0, expected 1 or more"),
            (264, 1 << 50, "header: text in use: 1125899906842624 bytes"),
            (header.lives.offset, 77, "lives: life 1: it begins at 77, expected at most the position 4"),
            (header.lives.offset + 32, 9, "lives: life 1: clock kind 9"),
            (header.lives.offset + 56, 0xffff_ffff, "lives: life 1: its labels cannot be decoded"),
            (header.control.offset, 0xff_ffff, "control: default control word: 0xffffff, expected N of 1 to 65535"),
            (header.control_words.offset + 8, 0x10000, "control: control word of metric 2: 0x10000, expected N"),
            (header.producer.offset + 8, 1000, "producer line: metric count: 1000, expected at most 8"),
            (header.producer.offset + 32, 1 << 33, "producer line: closed mark: 2, expected 0 or 1"),
            (metrics, 9, "metrics: metric 0: kind 9, expected 1 to 4"),
            (metrics + 8, 0xffff_0000_ffff, "metrics: metric 0: its name, 65535 bytes at 65535 of 10240, leads out"),
            (metrics + 32, 40, "metrics: metric 0: last registered in life 40, expected 0 to 1"),
            (cells + 8, 5, "cells: cell of metric 0: its second word is 5, expected 0"),
            (cells + 32, 0x7ff8_0000_0000_0001, "cells: cell of metric 2: not a number"),
            (cells + 7 * 16, 5, "cells: cell 7: 5 and 0 without a metric, expected 0 and 0"),
            (records + 16, 0, "records: record 0 (slot 0): kind 0"),
            (records + 48, 5 << 48 | 1 << 32, "records: record 1 (slot 1): lap 5, expected 1"),
            (records + 48, 1 << 48 | 7 << 32, "records: record 1 (slot 1): kind 7, expected 1"),
            (records + 48, 1 << 48 | 0x51 << 32, "records: record 1 (slot 1): value encoding 5, expected 1"),
            (
                records + 48, 1 << 48 | 0x31 << 32 | 1 << 16 | 7,
                "records: record 1 (slot 1): metric 7, expected below 6"
            ),
            (
                records + 48, 1 << 48 | 0x31 << 32 | 1 << 16,
                "records: record 1 (slot 1): a sample of metric 0, which is a"
            ),
            (records + 48, 1 << 48 | 0x31 << 32 | 4, "records: record 1 (slot 1): weight 0, expected 1 or more"),
            (records + 48, 1 << 48 | 0x8031 << 32 | 1 << 16 | 4, "records: record 1 (slot 1): reserved flags 0x8000"),
            (records + 8 * 32, 5, "records: slot 8: holds bytes though the position is 4"),
        ]
        for (offset, word, line) in cases {
            RingFile.make(path, sound)
            file.write(word, at: offset)
            let lines = try Tool.dump(path).damage.map(\.line)
            #expect(lines.contains { $0.hasPrefix(line) }, "expected \(line) of \(lines)")
        }
        RingFile.make(path, sound)
        #expect(try Tool.dump(path).damage.isEmpty)
    }

    @Test("the rest of a truncated file is shown")
    func cut() throws {
        let sound = file.bytes()
        for kept in [Int(header.records.offset) + 64, Int(header.producer.offset), 16 * 1024, 512] {
            RingFile.make(path, [UInt8](sound.prefix(kept)))
            let dump = try Tool.dump(path)
            #expect(dump.damage.contains { $0.line.hasPrefix("header: segment size: \(sound.count) bytes") })
            #expect(dump.lives.isEmpty == (kept == 512))
            #expect(dump.metrics.count == (kept == 512 ? 0 : 6))
            #expect((dump.producer?.position == 4) == (kept > Int(header.producer.offset)))
            #expect(dump.records.map(\.sequence) == (kept > Int(header.records.offset) ? [0, 1] : []))
        }
        RingFile.make(path, [UInt8](sound.prefix(511)))
        #expect(try Tool.run("dump", path).exit == .code(1))
    }

    @Test("a ring of another major version is refused, one of a later minor version is read")
    func versions() throws {
        file.write(UInt32(1 << 16 | 7), at: 12)
        #expect(try Tool.dump(path).header.version == "1.7")
        file.write(UInt32(3 << 16), at: 12)
        let tool = try Tool.run("dump", path)
        #expect(tool.exit == .code(1) && tool.errors.contains("version 3.0"))
    }

    @Test("a ring whose every record is damaged fills no screen")
    func bounded() throws {
        try withTradingRing("large", in: directory, capacity: 65536)
        let large = RingFile(directory.ring("large"))
        large.setPosition(65535)
        let tool = try Tool.run("dump", large.path)
        #expect(tool.exit == .code(0))
        #expect(tool.output.contains("and 65511 more"))
        #expect(tool.output.split(separator: "\n").count < 200)
    }

    @Test("no bytes make the tool trap, hang or print too much", arguments: 0..<8)
    func randomDamage(_ group: Int) throws {
        let sound = file.bytes()
        // Damage matters in the parts of each region that the bot used.
        let spans = [
            0..<512, span(header.lives, 256), span(header.metrics, 384), span(header.text, 512),
            span(header.control, 16),
            span(header.control_words, 24), span(header.producer, 40), span(header.cells, 128),
            span(header.records, 256),
        ]
        let victim = directory.path + "/victim"
        for seed in 0..<40 {
            var random = SeededGenerator(seed: UInt64(group * 1000 + seed))
            var bytes = sound
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                Self.damage(&bytes, in: spans.randomElement(using: &random)!, &random)
            }
            if seed % 8 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            RingFile.make(victim, bytes)
            try check(victim, "seed \(group * 1000 + seed)")
        }
    }

    private func span(_ region: ringside_region, _ bytes: Int) -> Range<Int> {
        Int(region.offset)..<Int(region.offset) + bytes
    }

    /// Changes a byte, or writes a word of the kind that breaks arithmetic. The magic is left unchanged, because
    /// without it there is nothing to test.
    private static func damage(_ bytes: inout [UInt8], in span: Range<Int>, _ random: inout SeededGenerator) {
        let at = max(16, Int.random(in: span, using: &random))
        if Bool.random(using: &random) {
            bytes[at] ^= UInt8.random(in: 1...255, using: &random)
        } else {
            let words: [UInt64] = [0, 1, .max, .max - 1, 1 << 63, 1 << 32, 0xffff_ffff, random.next()]
            let word = words.randomElement(using: &random)!
            for k in 0..<8 { bytes[at & ~7 + k] = UInt8(truncatingIfNeeded: word >> UInt64(k * 8)) }
        }
    }

    private func check(_ victim: String, _ seed: String) throws {
        for format in ["text", "json", "csv"] {
            let tool = try Tool.run("dump", victim, "--format", format)
            switch tool.exit {
            case .code(0):
                #expect(tool.errors == "" || format == "csv" && tool.errors.contains("could not be decoded"), "\(seed)")
                #expect(!tool.output.isEmpty && tool.output.utf8.count < 1 << 20, "\(seed)")
            case .code(1): #expect(tool.output == "" && !tool.errors.isEmpty, "\(seed)")
            default: Issue.record("\(seed), \(format): \(tool.exit): \(tool.errors)")
            }
            guard tool.exit == .code(0) else { continue }
            #expect(throws: Never.self, "\(seed)") {
                if format == "json" { _ = try JSONDecoder().decode(DumpDocument.self, from: Data(tool.output.utf8)) }
                if format == "csv" { _ = try CSVTable(tool.output) }
            }
        }
        let tail = try Tool.run("tail", victim, "--format", "json")
        #expect(tail.exit == .code(0) || tail.exit == .code(1) && tail.output == "" && !tail.errors.isEmpty, "\(seed)")
    }
}
