import Series

/// The series that an export by OTLP sent last.
package struct OTLPStanding: Sendable {
    private var families: [MetricFamily] = []
    /// The bots that they were of.
    private(set) var resources: [String: OTLPResource] = [:]

    /// Of an export that has sent nothing.
    package init() {}

    init(_ families: [MetricFamily], _ resources: OTLPResources) {
        self.families = families
        self.resources = resources.byBot
    }

    /// Those that are not among these.
    func ended(without current: Families) -> [MetricFamily] {
        let known = Dictionary(current.all.map { ($0.name, $0) }) { first, _ in first }
        return families.compactMap { family in
            guard let same = known[family.name], same.kind == family.kind else { return family }
            let labels = Set(same.series.map(\.labels))
            var ended = family
            ended.series.removeAll { labels.contains($0.labels) }
            return ended.series.isEmpty ? nil : ended
        }
    }
}
