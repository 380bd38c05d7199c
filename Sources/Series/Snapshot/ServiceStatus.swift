/// The state of a part of the collector that works beside the drain, on a thread of its own.
package struct ServiceStatus: Sendable, Equatable {
    /// `history` or `json`.
    package var name: String
    /// Why it does not work at present; nil if it does.
    package var failure: String?
    /// The number of requests to it by outcome; empty if it has no requests.
    package var outcomes: [String: UInt64]

    package init(name: String, failure: String?, outcomes: [String: UInt64] = [:]) {
        self.name = name
        self.failure = failure
        self.outcomes = outcomes
    }
}
