package import Series

/// The part of the stored state that a start did not restore. It is moved to a file for inspection, and reported in the
/// log, on `/health` and on `/metrics`.
package struct StateSetAside: Equatable, Sendable {
    /// The path of that file.
    package var file: String
    package var entryCount: Int
    package var reason: String
    /// Whether none of the state was restored.
    package var isAll: Bool
    /// Bots that lack entries that their totals need. Their totals start again.
    package var bots: Set<String>

    package init(file: String, entryCount: Int, reason: String, isAll: Bool, bots: Set<String> = []) {
        self.file = file
        self.entryCount = entryCount
        self.reason = reason
        self.isAll = isAll
        self.bots = bots
    }

    /// Returns whether the totals of a bot's new series must not continue those of an earlier collector.
    package func begins(anew bot: String) -> Bool { isAll || bots.contains(bot) }

    /// Its form in a snapshot.
    package var status: StateSetAsideStatus {
        StateSetAsideStatus(file: file, entryCount: entryCount, reason: reason)
    }
}
