/// Stretches of time in which something happened at a moment that nobody knows.
///
/// What happened in one counts at its end, or somewhere within. A window that begins within it may therefore hold what
/// happened before the window, or lack what happened in it; a window that holds the whole stretch is right, and so is one that
/// holds nothing of it.
///
/// Memory: bounded, for stretches are kept only where they are longer than two finest slices, those that meet become one, and
/// what no window reaches is forgotten.
struct BlurLog: Sendable {
    private struct Stretch: Sendable {
        /// What happened, happened after this.
        var from: Int64
        var to: Int64
    }

    /// Ascending, apart from each other.
    private var stretches: [Stretch] = []

    var isEmpty: Bool { stretches.isEmpty }

    mutating func add(from: Int64, to: Int64) {
        guard from < to else { return }
        var added = Stretch(from: from, to: to)
        while let last = stretches.last, last.to >= added.from {
            // The same one is noted once for each of its records.
            if last.from <= added.from, last.to >= added.to { return }
            added = Stretch(from: min(last.from, added.from), to: max(last.to, added.to))
            stretches.removeLast()
        }
        stretches.append(added)
    }

    /// Forgets what ends before a time.
    mutating func forget(before time: Int64) {
        guard let first = stretches.first, first.to < time else { return }
        stretches.removeAll { $0.to < time }
    }

    /// Whether a window that begins at `start` begins within one of them.
    func blursWindow(from start: Int64) -> Bool { stretches.contains { $0.from < start && start <= $0.to } }
}
