import Testing

/// A long text as a test's argument. The run's output shows its label.
struct LabelledText: Sendable, CustomTestStringConvertible {
    let text: String
    private let label: String

    init(_ label: String, _ text: String) { (self.label, self.text) = (label, text) }

    var testDescription: String { label }
}
