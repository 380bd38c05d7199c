/// How a part of the collector fares that works beside the drain, on a thread of its own.
package struct ServiceStatus: Sendable, Equatable {
    /// `history` or `json`.
    package var name: String
    /// Why it does nothing at present; nil where all is well.
    package var failure: String?
    /// How often what it was asked for ended in which way; empty where nobody can ask it anything.
    package var outcomes: [String: UInt64]

    package init(name: String, failure: String?, outcomes: [String: UInt64] = [:]) {
        self.name = name
        self.failure = failure
        self.outcomes = outcomes
    }
}
