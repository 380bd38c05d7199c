/// A metric as a lane registers it.
package struct MetricDescriptor: Equatable, Sendable {
    package var name: String
    package var help: String
    package var kind: MetricKind
    package var unit: MetricUnit
    package var labels: [Label]

    package init(name: String, help: String, kind: MetricKind, unit: MetricUnit, labels: [Label]) {
        self.name = name
        self.help = help
        self.kind = kind
        self.unit = unit
        self.labels = labels.sorted()
    }
}

/// The identity of a series of a bot: the bytes of its name and labels.
package struct SeriesKey: Hashable, Comparable, Sendable {
    package let name: String
    /// Sorted by name.
    package let labels: [Label]

    package init(name: String, labels: [Label]) {
        self.name = name
        self.labels = labels
    }

    package static func == (a: SeriesKey, b: SeriesKey) -> Bool {
        a.name.hasSameBytes(as: b.name) && a.labels == b.labels
    }

    package func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        hasher.combine(labels)
    }

    package static func < (a: SeriesKey, b: SeriesKey) -> Bool {
        a.name.hasSameBytes(as: b.name)
            ? a.labels.lexicographicallyPrecedes(b.labels) : a.name.precedesInBytes(b.name)
    }
}
