internal import CBench
internal import Glibc

/// A word that two threads share, alone on 256 bytes. Stores release, loads acquire.
final class SharedWord: @unchecked Sendable {
    // Unchecked: the pointer never changes, and its word is accessed only atomically.
    private let word: UnsafeMutablePointer<UInt64>

    init(_ value: UInt64 = 0) {
        var memory: UnsafeMutableRawPointer?
        precondition(posix_memalign(&memory, 256, 256) == 0, "no memory for a shared word")
        word = memory!.bindMemory(to: UInt64.self, capacity: 32)
        word.update(repeating: 0, count: 32)
        word.pointee = value
    }

    deinit { free(word) }

    @inline(__always)
    var value: UInt64 {
        get { bench_load_acquire(word) }
        set { bench_store_release(word, newValue) }
    }
}
