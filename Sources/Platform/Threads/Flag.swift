internal import CRingside

/// A flag that goes up once and is seen by every thread.
package final class Flag: @unchecked Sendable {
    // Unchecked: the word is only touched by atomic accesses.
    private let word: UnsafeMutablePointer<UInt32>

    package init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit { word.deallocate() }

    /// Release: what was written before is visible to whoever sees the flag up.
    package func raise() { ringside_store_release_32(word, 1) }

    package var isRaised: Bool { ringside_load_acquire_32(word) != 0 }
}
