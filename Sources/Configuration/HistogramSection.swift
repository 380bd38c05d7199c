internal import Series

extension NativeHistogramOptions {
    init(_ section: Section) {
        let standard = NativeHistogramOptions.standard
        self.init(
            schema: section.whole("schema", -4...7) ?? standard.schema,
            bucketLimit: section.whole("max_buckets", 1...1_000_000))
    }
}

extension Section {
    private static let edgeForm = "a finite number in the histogram's unit, or \(DurationText.form)"
    /// Each edge adds a line and a series to every scrape.
    private static let mostEdges = 200

    /// Reads the upper edges of classic buckets, ascending. Durations become seconds.
    func edges(_ key: String) -> [Double]? {
        let edges = list(key, expected: Self.edgeForm) { content -> Double? in
            switch content {
            case .number(let value): value.isFinite ? value : nil
            case .text(let text): DurationText.nanoseconds(text).map { Double($0) / 1e9 }
            default: nil
            }
        }
        guard let edges else { return nil }
        guard (1...Self.mostEdges).contains(edges.count) else {
            note(key, "the list has \(edges.count) edges, expected 1 to \(Self.mostEdges)")
            return nil
        }
        if let place = edges.indices.dropFirst().first(where: { edges[$0] <= edges[$0 - 1] }) {
            note(key, "entry [\(place)] is not above the one before it; sort the edges and give each once")
            return nil
        }
        return edges
    }
}
