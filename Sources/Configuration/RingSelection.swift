package import Rules

/// Which rings the configuration takes.
package struct RingSelection: Hashable, Sendable {
    /// Patterns for the names of bots or of rings with their lane; a ring must fit one.
    package var take: [Glob]
    /// Patterns of the same kind; a ring must fit none.
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
