import CRingside
import Collector
import Drain
import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// Rings in which any word may have any value. A collector reads them, shows them in every form, writes a checkpoint of
/// them and continues from it.
@Suite struct HostileRingTests {
    /// A word and its offset.
    struct Blow {
        let offset: Int
        let word: UInt64
    }

    /// The ring of a bot that lives, with every kind of metric and of record in it.
    private let template: [UInt8]
    private let header: ringside_header

    init() throws {
        let directory = TemporaryRingDirectory()
        let options = AttachOptions(
            directory: directory.path, capacityRecords: 64, metricCapacity: 8, labels: ["env": "test"])
        let telemetry = try Telemetry.attach("alpha", options: options)
        let values = try telemetry.histogram("values", help: "Values of both signs.")
        let durations = try telemetry.durationHistogram("x_seconds", help: "Durations.")
        let gauge = try telemetry.gauge("level", help: "A gauge.", recording: .everyChange)
        let counter = try telemetry.counter("writes_total", help: "Writes.")
        for number in 0..<20 {
            values.record(Double(number - 10))
            durations.measure {}
            gauge.set(Double(number))
            counter.increment()
        }
        template = directory.file().bytes()
        header = directory.file().header()
        telemetry.close()
    }

    /// The number of rings of one collector.
    private static let ringsAtOnce = 24

    /// Shows and stores rings, each of which is damaged before it is opened or after its first drain.
    private func strike(_ rounds: [[Blow]]) throws {
        for first in stride(from: 0, to: rounds.count, by: Self.ringsAtOnce) {
            let directory = TemporaryRingDirectory()
            let folder = TemporaryRingDirectory(under: "/tmp")
            let rounds = rounds[first..<min(first + Self.ringsAtOnce, rounds.count)]
            var descriptors: [Int32] = []
            defer { for descriptor in descriptors { close(descriptor) } }
            for (round, blows) in zip(rounds.indices, rounds) {
                let path = directory.ring("bot\(round)")
                RingFile.make(path, bytes(of: round, round % 2 == 0 ? blows : []))
                let descriptor = open(path, O_RDWR | O_CLOEXEC)
                descriptors.append(descriptor)
                // Every third has no owner.
                if round % 3 > 0 { #expect(ringside_claim(descriptor) == 0) }
            }
            var forms = AllForms()
            var collector: CollectorHarness? = try CollectorHarness(directory, checkpoint: try CheckpointFile(folder))
            collector?.leap()
            for (round, blows) in zip(rounds.indices, rounds) where round % 2 == 1 {
                for blow in blows { RingFile(directory.ring("bot\(round)")).write(blow.word, at: UInt64(blow.offset)) }
            }
            for _ in 0..<3 {
                collector?.leap()
                if let snapshot = collector?.lookUnchecked() { forms.render(snapshot) }
            }
            // Two collectors continue from it, the first with the rings, and the second without them.
            for isThere in [true, false] {
                collector = nil
                if !isThere { for name in directory.entries() { unlink("\(directory.path)/\(name)") } }
                let checkpoint = try CheckpointFile(folder)
                #expect(checkpoint.saved != nil)
                collector = try CollectorHarness(directory, checkpoint: checkpoint)
                collector?.leap()
                collector?.leap()
                if let snapshot = collector?.lookUnchecked() {
                    #expect(!snapshot.bots.isEmpty)
                    forms.render(snapshot)
                }
            }
            collector?.end()
        }
    }

    func bytes(of round: Int, _ blows: [Blow]) -> [UInt8] {
        var bytes = template
        func put(_ word: UInt64, at offset: Int) {
            withUnsafeBytes(of: word.littleEndian) { bytes.replaceSubrange(offset..<offset + 8, with: $0) }
        }
        put(UInt64(round), at: MemoryLayout<ringside_header>.offset(of: \.ring_id)!)
        for blow in blows { put(blow.word, at: blow.offset) }
        return bytes
    }

    private static let words: [UInt64] = [
        0, 1, 2, .max, 1 << 63, 1 << 62, UInt64(Int64.max), 0x7FF0_0000_0000_0000, 1 << 32, 0xFFFF_FFFF,
    ]

    /// Returns the offsets of the words in use in a region of the template, and of two words after them.
    private func used(_ region: ringside_region) -> [Int] {
        let (start, end) = (
            Int(region.offset), Int(region.offset) + Int(region.item_bytes) * Int(region.item_count)
        )
        let last = template[start..<min(end, template.count)].lastIndex { $0 != 0 } ?? start
        return Array(stride(from: start, through: min(last + 16, end - 8), by: 8))
    }

    @Test("any word of a header or a life may be any number, alone")
    func oneWord() throws {
        let offsets =
            Array(stride(from: 0, to: Int(header.header_bytes), by: 8)).filter { $0 < 1024 } + used(header.lives)
        let blows = offsets.flatMap { offset in Self.words.map { [Blow(offset: offset, word: $0)] } }
        // 7 and the 10 words have no common divisor, so each word meets every seventh offset.
        try strike(blows.ordinarily(oneOf: 7))
    }

    @Test("a life's clock, its anchor and the length of a tick may be any numbers together")
    func clocks() throws {
        let life = used(header.lives).first { offset in template[offset..<offset + 8].contains { $0 != 0 } } ?? 0
        let start = life - (life - Int(header.lives.offset)) % Int(header.lives.item_bytes)
        func place<Field>(_ field: KeyPath<ringside_life, Field>) -> Int {
            start + MemoryLayout<ringside_life>.offset(of: field)!
        }
        let rate = MemoryLayout<ringside_header>.offset(of: \.tick_hz)!
        var rounds: [[Blow]] = []
        for kind in 0...4 as ClosedRange<UInt64> {
            for hertz in [1, 3, 1_000_000_000, .max] as [UInt64] {
                for anchor in [0, 1 << 60, 1 << 62, UInt64(Int64.max), .max] as [UInt64] {
                    for ticks in [0, 1 << 63, .max] as [UInt64] {
                        rounds.append([
                            Blow(offset: rate, word: hertz),
                            Blow(offset: place(\.anchor_monotonic_ns), word: anchor),
                            Blow(offset: place(\.anchor_ticks), word: ticks),
                            Blow(offset: place(\.clock_kind), word: kind | 77 << 32),
                        ])
                    }
                }
            }
        }
        try strike(rounds.ordinarily(oneOf: 7))
    }

    @Test("words of lives, metrics, cells, controls and records may be any numbers, many at once")
    func manyWords() throws {
        var random = SeededGenerator(seed: 1)
        let regions = [
            header.lives, header.metrics, header.text, header.control, header.control_words, header.producer,
            header.cells, header.records,
        ].map(used)
        try strike(
            (0..<(isLongRun ? 600 : 120)).map { round in
                (0...Int.random(in: 0..<24, using: &random)).map { _ in
                    let region = regions[(round + Int.random(in: 0..<2, using: &random)) % regions.count]
                    let word = Self.words.randomElement(using: &random)!
                    let isRandom = Bool.random(using: &random)
                    return Blow(
                        offset: region.randomElement(using: &random)!,
                        word: isRandom ? random.next() >> UInt64.random(in: 0..<64, using: &random) : word)
                }
            })
    }
}

extension HostileRingTests {
    @Test("showing a damaged ring removes nothing; the next turn's housekeeping does")
    func showing() throws {
        let directory = TemporaryRingDirectory()
        RingFile.make(directory.ring("alpha"), bytes(of: 1, []))
        let collector = try CollectorHarness(directory)
        collector.leap()
        #expect(collector.lookUnchecked().bots.first?.rings.first?.drained ?? 0 > 0)
        directory.file().write(UInt64.max, at: UInt64(MemoryLayout<ringside_header>.offset(of: \.created_realtime_ns)!))
        for _ in 0..<3 { #expect(collector.lookUnchecked().bots.first?.rings.first?.backlogMaximum != nil) }
        #expect(!collector.said("quarantined"))
        collector.leap()
        #expect(collector.said("ring quarantined", "alpha"))
        // Its records stay. The figures of an open ring are gone.
        let ring = collector.lookUnchecked().bots.first?.rings.first
        #expect(ring?.drained ?? 0 > 0 && ring?.backlogMaximum == nil)
    }
}
