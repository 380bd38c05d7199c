internal import CBench
internal import CRingside
internal import Glibc

/// The least that any ring in memory can cost on this machine: records of four words in private memory, an index, and the
/// clock that the library uses. No control word, no cell, no publishing.
struct FloorRing {
    private let next: UnsafeMutablePointer<UInt64>
    private let words: UnsafeMutablePointer<UInt64>
    private let mask: UInt64
    let clock: UInt32

    init(capacityRecords: Int) {
        var memory: UnsafeMutableRawPointer?
        precondition(posix_memalign(&memory, 4096, capacityRecords * 32 + 4096) == 0, "no memory for the floor's ring")
        memory!.initializeMemory(as: UInt8.self, repeating: 1, count: capacityRecords * 32 + 4096)
        words = memory!.assumingMemoryBound(to: UInt64.self)
        next = words + capacityRecords * 4
        mask = UInt64(capacityRecords - 1)
        clock = ringside_clock_kind().rawValue
    }

    func deallocate() { free(words) }

    @inline(__always)
    func now() -> UInt64 { ringside_ticks(clock) }

    /// Four stores into slot `index`.
    @inline(__always)
    func store(_ index: UInt64, time: UInt64, value: UInt64) {
        bench_store_record(words + Int(truncatingIfNeeded: index & mask) * 4, time, value, 1, 0)
    }

    /// Four stores into the next slot.
    @inline(__always)
    func store(time: UInt64, value: UInt64) {
        let index = next.pointee
        store(index, time: time, value: value)
        next.pointee = index &+ 1
    }
}
