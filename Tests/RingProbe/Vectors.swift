import CRingside
import TestSupport

/// Makes the test vectors of this program's version, each with the reading of this program's reader.
///
/// They were made once, when the version was declared, and are NEVER to be made again for the same version: the
/// readings of later readers are compared with the first ones. A new version gets a folder of its own beside theirs.
func makeVectors(folder: String) {
    do {
        for (name, bytes) in try vectors() { keep(bytes, name, folder) }
    } catch {
        fail("refused \(error)")
    }
}

private func keep(_ bytes: [UInt8], _ name: String, _ folder: String) {
    var image = VectorImage(bytes: bytes)
    // The boot is that of no machine, because this machine's boot would be known here and nowhere else.
    if bytes.count >= 64 { for offset in 48..<64 { image.bytes[offset] = UInt8(offset) } }
    GzipFile.write(image.bytes, to: "\(folder)/\(name).gz")
    let directory = TemporaryRingDirectory()
    RingFile.make(directory.ring("vector"), image.bytes)
    RingFile.make("\(folder)/\(name).txt", Array(RingReading(path: directory.ring("vector")).text.utf8))
    say("\(name): \(bytes.count) bytes")
}

private func vectors() throws -> [(String, [UInt8])] {
    let whole = VectorImage(bytes: try VectorRings.whole())
    return [
        ("whole", whole.bytes),
        ("empty", try VectorRings.image()),
        ("alive", try VectorRings.whole(closes: false)),
        ("one-short-of-full", try VectorRings.values(63)),
        ("full", try VectorRings.values(64)),
        ("lapped", try VectorRings.values(1000)),
        ("lapped-by-all-kinds", try VectorRings.whole(laps: 40)),
        ("smallest", try VectorRings.values(9, capacity: 2)),
        ("large", try VectorRings.values(3000, capacity: 1024)),
        ("sampled", try VectorRings.sampled()),
        ("lives", try VectorRings.lives(3)),
        ("lives-forgotten", try VectorRings.lives(20)),
    ] + damagedHeaders(whole) + damagedTables(whole) + damagedRecords(VectorImage(bytes: try VectorRings.values(100)))
}

private func damagedHeaders(_ whole: VectorImage) -> [(String, [UInt8])] {
    let records = Int(whole.header.records.offset)
    return [
        ("minor-newer-and-larger", whole.grown()),
        ("major-2", whole.with { $0.set(UInt32(2) << 16, \.version) }),
        ("major-0", whole.with { $0.set(UInt32(1), \.version) }),
        ("version-unpublished", whole.with { $0.set(UInt32(0), \.version) }),
        ("magic", whole.with { $0.bytes[3] ^= 0x20 }),
        ("byte-order", whole.with { $0.set(UInt32(0x0403_0201), \.endian_tag) }),
        ("reserved-bits", whole.with { for offset in 200..<256 { $0.bytes[offset] = 0xff } }),
        ("truncated-header", [UInt8](whole.bytes.prefix(300))),
        ("truncated-tables", [UInt8](whole.bytes.prefix(5000))),
        ("truncated-records", [UInt8](whole.bytes.prefix(records + 1000))),
        ("longer-than-said", whole.bytes + [UInt8](repeating: 0, count: 4096)),
        ("offset-wild", whole.with { $0.set(UInt64(1) << 40, \.records.offset) }),
        ("offset-overflowing", whole.with { $0.set(UInt64.max - 7, \.cells.offset) }),
        ("offset-odd", whole.with { $0.set($0.header.lives.offset + 4, \.lives.offset) }),
        ("count-wild", whole.with { $0.set(UInt32.max, \.metrics.item_count) }),
        ("count-no-power-of-two", whole.with { $0.set(UInt32(48), \.records.item_count) }),
        ("item-too-small", whole.with { $0.set(UInt32(8), \.metrics.item_bytes) }),
        ("lives-wild", whole.with { $0.set(UInt64.max - 2, \.life_count) }),
        ("text-used-wild", whole.with { $0.set(UInt64.max, \.text_bytes_used) }),
    ]
}

private func damagedTables(_ whole: VectorImage) -> [(String, [UInt8])] {
    let producer = Int(whole.header.producer.offset)
    return [
        ("metric-count-wild", whole.with { $0.set(UInt64.max, at: producer + 8) }),
        ("position-wild", whole.with { $0.set(UInt64(1) << 40, at: producer) }),
        ("position-at-the-end-of-numbers", whole.with { $0.set(UInt64.max, at: producer) }),
        ("metric-kind", whole.with { $0.set(UInt8(9), at: $0.metric(1, \.kind)) }),
        ("metric-number", whole.with { $0.set(UInt8(2), at: $0.metric(0, \.number)) }),
        ("metric-name-outside", whole.with { $0.set(ringside_text_make(.max, 11, 0), at: $0.metric(0, \.name)) }),
        ("metric-labels-cut", whole.with { $0.set(ringside_text_make(0, 5, 3), at: $0.metric(0, \.labels)) }),
        (
            "cells-not-numbers",
            whole.with { image in
                for id in 0..<8 { image.set(UInt64.max, at: Int(image.header.cells.offset) + id * 16) }
            }
        ),
        (
            "control-zero",
            whole.with { image in
                for id in 0..<8 { image.set(UInt32(0), at: Int(image.header.control_words.offset) + id * 4) }
            }
        ),
        ("life-without-clock", whole.with { $0.set(UInt32(0), at: Int($0.header.lives.offset) + 32) }),
    ]
}

private func damagedRecords(_ lapped: VectorImage) -> [(String, [UInt8])] {
    [
        (
            "slots-torn",
            lapped.with { image in
                // The damages are: the lap of another round, no kind, an invalid kind and encoding, a missing metric,
                // reserved bits.
                image.set(image.meta(40) &+ 1 << 48, at: image.record(40, word: 2))
                image.set(image.meta(41) & ~(0xf << 32), at: image.record(41, word: 2))
                image.set(image.meta(42) | 0xf << 32, at: image.record(42, word: 2))
                image.set(image.meta(43) | 0x7 << 36, at: image.record(43, word: 2))
                image.set(image.meta(44) | 0xffff, at: image.record(44, word: 2))
                image.set(image.meta(45) | 0xf << 44, at: image.record(45, word: 2))
                for word in 0..<4 { image.set(UInt64(0), at: image.record(46, word: word)) }
                for word in 0..<4 { image.set(UInt64.max, at: image.record(47, word: word)) }
            }
        )
    ]
}
