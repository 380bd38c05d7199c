public import Ringside

/// One instrument's facts without its types: for its registration, and for tools that write help texts, rules and
/// dashboards. Made by an ``InstrumentDefinition``.
public struct MetricDefinition: Sendable, Equatable {
    /// The kind of each of the metric's series.
    public enum Kind: String, Sendable, CaseIterable {
        case counter
        case upDownCounter = "up_down_counter"
        case gauge
        case histogram
    }

    /// The exported name: a counter's ends in `_total`, after the unit.
    public let name: String
    public let kind: Kind
    public let unit: MetricUnit
    /// One sentence for people.
    public let help: String
    /// The labels of each of its series.
    public let labels: [LabelDefinition]
}

extension MetricDefinition {
    /// Returns the labels in the library's form.
    ///
    /// - Parameter absent: A label that gets its value later.
    /// - Throws: ``RegistrationError`` if a label is missing, unknown, given twice or has a value that is not allowed;
    ///   the error names the label.
    func checked(
        _ values: [(name: String, value: String)], without absent: String? = nil
    ) throws(RegistrationError) -> Labels {
        let labels = labels.filter { $0.name != absent }
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

    func refusal(_ what: String, listsLabels: Bool = true) -> RegistrationError {
        let names = labels.isEmpty ? "none" : labels.map(\.name).joined(separator: ", ")
        return RegistrationError(
            reason: .invalidLabel, description: "\(name) \(what)" + (listsLabels ? "; its labels: \(names)" : ""))
    }
}
