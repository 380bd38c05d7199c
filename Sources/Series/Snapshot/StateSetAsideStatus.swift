/// Entries of the collector's stored state that could not be restored at the start, and were moved to a file for
/// inspection.
package struct StateSetAsideStatus: Equatable, Sendable {
    package var file: String
    package var entryCount: Int
    /// The reason for the first entry.
    package var reason: String

    package init(file: String, entryCount: Int, reason: String) {
        self.file = file
        self.entryCount = entryCount
        self.reason = reason
    }
}
