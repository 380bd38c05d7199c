public import Ringside

/// What there is to know of one instrument without a bot: for its registration, and for tools that write help texts, rules and
/// dashboards. Made by an ``InstrumentDefinition``.
public struct MetricDefinition: Sendable, Equatable {
    /// What a series of it is.
    public enum Kind: String, Sendable, CaseIterable {
        case counter
        case upDownCounter = "up_down_counter"
        case gauge
        case histogram
    }

    /// A label that each of its series has.
    public struct Label: Sendable, Equatable {
        public let name: String
        /// nil: any.
        public let allowedValues: [String]?
    }

    /// As exported: a counter's ends in `_total`, and before it stands the unit.
    public let name: String
    public let kind: Kind
    public let unit: MetricUnit
    /// One sentence for people.
    public let help: String
    public let labels: [Label]
}

extension MetricDefinition {
    /// The labels as the library takes them.
    ///
    /// - Throws: ``RegistrationError`` where one is missing, unknown or has a value that it may not have; it names what it takes.
    func checked(_ values: [(name: String, value: String)]) throws(RegistrationError) -> Labels {
        for (index, pair) in values.enumerated() {
            guard let label = labels.first(where: { $0.name == pair.name }) else {
                throw refusal("has no label \"\(pair.name)\"")
            }
            guard !values[..<index].contains(where: { $0.name == pair.name }) else {
                throw refusal("was given label \"\(pair.name)\" twice")
            }
            if let allowed = label.allowedValues, !allowed.contains(pair.value) {
                throw refusal(
                    "has no \(pair.name) \"\(pair.value)\", only \(allowed.joined(separator: ", "))", listsLabels: false
                )
            }
        }
        for label in labels where !values.contains(where: { $0.name == label.name }) {
            throw refusal("lacks its label \"\(label.name)\"")
        }
        return Labels(values.map { ($0.name, $0.value) })
    }

    private func refusal(_ what: String, listsLabels: Bool = true) -> RegistrationError {
        let names = labels.isEmpty ? "none" : labels.map(\.name).joined(separator: ", ")
        return RegistrationError(
            reason: .invalidLabel, description: "\(name) \(what)" + (listsLabels ? "; its labels: \(names)" : ""))
    }
}
