internal import CRingside

/// A flag that is raised once; every thread can read it.
package final class Flag: @unchecked Sendable {
    // Unchecked: the word is only touched by atomic accesses.
    private let word: UnsafeMutablePointer<UInt32>

    package init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit { word.deallocate() }

    /// Raises the flag. Release order: earlier writes are visible to a thread that sees the flag raised.
    package func raise() { ringside_store_release_32(word, 1) }

    package var isRaised: Bool { ringside_load_acquire_32(word) != 0 }
}
