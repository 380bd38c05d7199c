import CRingside
import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// Words written into a ring's mapping while its bot writes too.
@Suite struct ByteDamageTests {
    private static let words = ["capacity=16", "metrics=16"]

    /// A word and its offset.
    private struct Blow: CustomStringConvertible {
        let offset: UInt64
        let word: UInt64
        var description: String { "0x\(String(word, radix: 16)) at 0x\(String(offset, radix: 16))" }
    }

    /// Damages a separate victim for each of `rounds`, and lets an heir attach to the rest.
    private func strike(mayAlterRecords: Bool = false, _ rounds: (ringside_header) -> [[Blow]]) throws {
        let sample = TemporaryRingDirectory()
        #expect(try BotProgram.run("write", "alpha", Self.words + ["count=1"], in: sample) == .code(0))
        let rounds = rounds(sample.file().header())
        for first in stride(from: 0, to: rounds.count, by: 12) {
            let scene = try DamageScene()
            for round in first..<min(first + 12, rounds.count) {
                try strike(rounds[round], scene, isGuarded: round % 2 == 0, mayAlterRecords: mayAlterRecords)
            }
            try scene.end()
        }
    }

    private func strike(_ blows: [Blow], _ scene: DamageScene, isGuarded: Bool, mayAlterRecords: Bool) throws {
        let outcome = try scene.damage(Self.words + ["guard=\(isGuarded ? 1 : 0)"]) { path in
            for blow in blows { RingFile(path).write(blow.word, at: blow.offset) }
        }
        let place = "\(blows.prefix(8))"
        #expect(outcome.exit == .code(0), "\(place)")
        #expect(outcome.follower.torn.isEmpty || mayAlterRecords, "\(place): \(outcome.follower.torn)")
        #expect((outcome.account?.drained ?? 0) <= outcome.wrote ?? 0, "\(place)")
        inherit(outcome.ring, scene, place)
    }

    /// Attaches the next bot of that name. It goes on, begins anew, or gets an error.
    private func inherit(_ ring: String, _ scene: DamageScene, _ place: String) {
        let options = AttachOptions(directory: scene.directory.path, capacityRecords: 16, metricCapacity: 16)
        do {
            let telemetry = try Telemetry.attach(ring, options: options)
            let values = try telemetry.histogram("heir", help: "What an heir writes.")
            for value in 0..<100 { values.record(Double(value)) }
            telemetry.close()
        } catch let error as AttachError {
            #expect(error.reason == .notARing, "\(place): \(error)")
        } catch {
            #expect((error as? RegistrationError)?.reason == .tableFull, "\(place): \(error)")
        }
        scene.collector.leap()
    }

    /// Returns zero, all bits, or a random number.
    private static func word(_ round: Int, _ random: inout SeededGenerator) -> UInt64 {
        [0, .max, random.next(), random.next() & 0xffff][round % 4]
    }

    @Test("any word of a header may be overwritten while its bot writes")
    func header() throws {
        var random = SeededGenerator(seed: 1)
        try strike { header in
            (0..<Int(header.header_bytes) / 8).map {
                [Blow(offset: UInt64($0) * 8, word: Self.word($0, &random))]
            }
        }
    }

    @Test(
        "lives, metric slots, texts, control words, the producer line and cells may be overwritten while a bot writes")
    func regions() throws {
        var random = SeededGenerator(seed: 2)
        try strike { header in
            let regions = [
                (header.lives, 256), (header.metrics, 256), (header.text, 128), (header.control, 16),
                (header.control_words, 64), (header.producer, 40), (header.cells, 128),
            ]
            return regions.flatMap { region, bytes in
                (0..<8).map { round in
                    let offset = region.offset + UInt64.random(in: 0..<UInt64(bytes / 8), using: &random) * 8
                    return [Blow(offset: offset, word: Self.word(round, &random))]
                }
            }
        }
    }

    @Test("a position may be set anywhere while its bot writes, and no record is read twice because of it")
    func position() throws {
        var random = SeededGenerator(seed: 3)
        try strike { header in
            let positions: [UInt64] = [0, 1, 15, 16, 17, 39, 40, 1000, 1 << 20, 1 << 40, 1 << 63, .max]
            return (positions + (0..<8).map { _ in random.next() >> UInt64.random(in: 0..<64, using: &random) }).map {
                [Blow(offset: header.producer.offset, word: $0)]
            }
        }
    }

    @Test("records may be overwritten while their bot writes")
    func records() throws {
        var random = SeededGenerator(seed: 4)
        try strike(mayAlterRecords: true) { header in
            (0..<16).map { _ in
                (0..<8).map { _ in
                    let offset = header.records.offset + UInt64.random(in: 0..<64, using: &random) * 8
                    return Blow(offset: offset, word: random.next())
                }
            }
        }
    }

    @Test("a ring may be filled with random bytes while its bot writes")
    func everywhere() throws {
        var random = SeededGenerator(seed: 5)
        try strike(mayAlterRecords: true) { header in
            (0..<16).map { round in
                (0..<(64 << (round % 8))).map { _ in
                    let offset = UInt64.random(in: 0..<header.segment_bytes / 8, using: &random) * 8
                    return Blow(offset: offset, word: random.next())
                }
            }
        }
    }
}
