/// Entries of the collector's kept state that its start could not take, and put where they can be looked at.
package struct StateSetAsideStatus: Equatable, Sendable {
    package var file: String
    package var entryCount: Int
    /// Of the first one.
    package var reason: String

    package init(file: String, entryCount: Int, reason: String) {
        self.file = file
        self.entryCount = entryCount
        self.reason = reason
    }
}
