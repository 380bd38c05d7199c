/// A label of a bot or of a metric. Two labels are equal if their bytes are.
package struct Label: Hashable, Sendable, Comparable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    package static func == (a: Label, b: Label) -> Bool {
        a.value.hasSameBytes(as: b.value) && a.name.hasSameBytes(as: b.name)
    }

    package func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        value.hashBytes(into: &hasher)
    }

    package static func < (a: Label, b: Label) -> Bool {
        a.name.hasSameBytes(as: b.name) ? a.value.precedesInBytes(b.value) : a.name.precedesInBytes(b.name)
    }
}
