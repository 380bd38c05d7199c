package import SQLite

/// The reason why a history could not be read or written.
package typealias HistoryFailure = DatabaseFailure

extension DatabaseFailure {
    /// The client has left, or the collector is shutting down.
    static let notWanted = DatabaseFailure(interruption: "the answer is no longer wanted")

    init(_ damage: HistoryDamage) { self.init(damage: damage.description) }
}
