package import Rules

/// Selects the rings that are drained.
package struct RingSelection: Hashable, Sendable {
    /// Patterns for bots, or for rings with their lane. A ring must match one of them.
    package var take: [Glob]
    /// Patterns of the same kind. A ring must match none of them.
    package var leave: [Glob]

    package static let all = RingSelection(take: [.all], leave: [])

    package init(take: [Glob], leave: [Glob]) {
        self.take = take
        self.leave = leave
    }

    /// Returns whether a ring is selected.
    ///
    /// - Parameters:
    ///   - bot: The part of the ring's name before the dot.
    ///   - ring: The whole name.
    package func takes(bot: String, ring: String) -> Bool {
        func fits(_ globs: [Glob]) -> Bool { globs.contains { $0.matches(bot) || $0.matches(ring) } }
        return fits(take) && !fits(leave)
    }
}
