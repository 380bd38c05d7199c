package import Rules

/// Selects the rings to drain.
package struct RingSelection: Hashable, Sendable {
    /// Patterns for bots, or for rings with their lane; a ring must match one.
    package var take: [Glob]
    /// Patterns of the same kind; a ring must match none.
    package var leave: [Glob]

    package static let all = RingSelection(take: [.all], leave: [])

    package init(take: [Glob], leave: [Glob]) {
        self.take = take
        self.leave = leave
    }

    /// - Parameters:
    ///   - bot: The part of the ring's name before the dot.
    ///   - ring: The whole name.
    package func takes(bot: String, ring: String) -> Bool {
        func fits(_ globs: [Glob]) -> Bool { globs.contains { $0.matches(bot) || $0.matches(ring) } }
        return fits(take) && !fits(leave)
    }
}
