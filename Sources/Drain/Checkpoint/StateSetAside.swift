package import Series

/// What a start did not take of the state that it found: kept for inspection, and said in the log, on `/health` and on
/// `/metrics`.
package struct StateSetAside: Equatable, Sendable {
    /// Where it lies now.
    package var file: String
    package var entryCount: Int
    package var reason: String
    /// Whether nothing of the state was taken.
    package var isAll: Bool
    /// Bots of which entries are missing that their totals need: what they show counts anew.
    package var bots: Set<String>

    package init(file: String, entryCount: Int, reason: String, isAll: Bool, bots: Set<String> = []) {
        self.file = file
        self.entryCount = entryCount
        self.reason = reason
        self.isAll = isAll
        self.bots = bots
    }

    /// Whether the totals of a bot's new series must not seem to go on from what an earlier collector showed.
    package func begins(anew bot: String) -> Bool { isAll || bots.contains(bot) }

    /// What is shown of it.
    package var status: StateSetAsideStatus {
        StateSetAsideStatus(file: file, entryCount: entryCount, reason: reason)
    }
}
