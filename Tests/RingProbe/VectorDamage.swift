import CRingside
import TestSupport

/// A whole image that is made into a damaged one.
struct VectorImage {
    var bytes: [UInt8]

    var header: ringside_header { bytes.withUnsafeBytes { $0.loadUnaligned(as: ringside_header.self) } }

    mutating func set<T: BitwiseCopyable>(_ value: T, at offset: Int) {
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: value, toByteOffset: offset, as: T.self) }
    }

    mutating func set<T: BitwiseCopyable>(_ value: T, _ field: PartialKeyPath<ringside_header>) {
        set(value, at: MemoryLayout<ringside_header>.offset(of: field)!)
    }

    /// Returns the offset of word `word` of the record in a slot.
    func record(_ slot: Int, word: Int) -> Int { Int(header.records.offset) + slot * 32 + word * 8 }

    func meta(_ slot: Int) -> UInt64 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: record(slot, word: 2), as: UInt64.self) }
    }

    func metric(_ id: Int, _ field: PartialKeyPath<ringside_metric>) -> Int {
        Int(header.metrics.offset) + id * 64 + MemoryLayout<ringside_metric>.offset(of: field)!
    }

    /// Returns the same image, damaged.
    func with(_ damage: (inout VectorImage) -> Void) -> [UInt8] {
        var copy = self
        damage(&copy)
        return copy.bytes
    }

    /// Returns the same content in the form of a later minor version. It has a longer header, longer lives and metric
    /// slots with bytes that this version does not know, more of them, and the regions elsewhere.
    func grown() -> [UInt8] {
        let old = header
        var grown = VectorImage(bytes: [UInt8](repeating: 0, count: 0x60000 + Int(old.records.item_count) * 32))
        grown.bytes.replaceSubrange(0..<512, with: bytes[0..<512])
        func move(
            _ from: ringside_region, to offset: Int, itemBytes: Int, _ field: PartialKeyPath<ringside_header>
        ) {
            for item in 0..<Int(from.item_count) {
                let start = Int(from.offset) + item * Int(from.item_bytes)
                let place = offset + item * itemBytes
                grown.bytes.replaceSubrange(
                    place..<place + Int(from.item_bytes), with: bytes[start..<start + Int(from.item_bytes)])
                for extra in Int(from.item_bytes)..<max(itemBytes, Int(from.item_bytes)) {
                    grown.bytes[place + extra] = 0xa5
                }
            }
            grown.set(
                ringside_region(
                    offset: UInt64(offset), item_bytes: UInt32(itemBytes), item_count: from.item_count), field)
        }
        move(old.lives, to: 0x400, itemBytes: 320, \.lives)
        move(old.metrics, to: 0x2000, itemBytes: 96, \.metrics)
        move(old.text, to: 0x4000, itemBytes: 1, \.text)
        move(old.control, to: 0x20000, itemBytes: 512, \.control)
        move(old.control_words, to: 0x20200, itemBytes: 8, \.control_words)
        move(old.producer, to: 0x40000, itemBytes: 512, \.producer)
        move(old.cells, to: 0x40200, itemBytes: 32, \.cells)
        move(old.records, to: 0x60000, itemBytes: 32, \.records)
        grown.set(UInt32(1024), \.header_bytes)
        grown.set(UInt64(grown.bytes.count), \.segment_bytes)
        grown.set(UInt32(RINGSIDE_ABI_MAJOR << 16 | 7), \.version)
        for offset in 512..<0x400 { grown.bytes[offset] = 0xa5 }
        return grown.bytes
    }
}
