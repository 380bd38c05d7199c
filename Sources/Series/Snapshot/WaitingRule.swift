/// A rule that has found no series to judge so far.
package struct WaitingRule: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case alert, objective
    }

    /// Why there is no series.
    package struct Reason: Hashable, Sendable {
        package enum Kind: Sendable {
            /// No bot has registered the metric.
            case metric
            /// The rule's bots have not registered it, or there are none.
            case bot
            /// Its kind or unit is none that the rule can judge.
            case kind
            /// No series of it has the rule's labels.
            case labels
        }

        package let kind: Kind
        package let text: String

        package init(_ kind: Kind, _ text: String) {
            self.kind = kind
            self.text = text
        }

        package static let metric = Reason(.metric, "waits for this metric")
    }

    package var kind: Kind
    /// The alert's or the objective's name.
    package var name: String
    /// The registered name that it waits for.
    package var metric: String
    /// A known name that may be meant; "" if none is similar.
    package var nearest: String
    package var reason: Reason

    package init(kind: Kind, name: String, metric: String, nearest: String = "", reason: Reason = .metric) {
        self.kind = kind
        self.name = name
        self.metric = metric
        self.nearest = nearest
        self.reason = reason
    }
}
