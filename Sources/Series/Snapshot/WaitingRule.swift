/// A rule whose metric is unknown, and that no bot has registered.
package struct WaitingRule: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case alert, objective
    }

    package var kind: Kind
    /// The alert's or the objective's name.
    package var name: String
    /// The registered name that it waits for.
    package var metric: String
    /// A known name that may be meant; "" if none is similar.
    package var nearest: String

    package init(kind: Kind, name: String, metric: String, nearest: String = "") {
        self.kind = kind
        self.name = name
        self.metric = metric
        self.nearest = nearest
    }
}
