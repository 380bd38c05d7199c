/// How a part of the collector fares that works beside the drain, on a thread of its own.
package struct ServiceStatus: Sendable, Equatable {
    /// `history` or `json`.
    package var name: String
    /// Why it does nothing at present; nil where all is well.
    package var failure: String?

    package init(name: String, failure: String?) {
        self.name = name
        self.failure = failure
    }
}
