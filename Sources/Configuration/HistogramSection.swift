internal import Series

extension NativeHistogramOptions {
    init(_ section: Section) {
        let standard = NativeHistogramOptions.standard
        let schema = section.number("schema", expected: "a whole number from -4 to 7") {
            (-4...7).contains($0) && $0 == $0.rounded()
        }
        let limit = section.number("max_buckets", expected: "a whole number from 1 on") {
            (1...1e6).contains($0) && $0 == $0.rounded()
        }
        self.init(schema: schema.map { Int($0) } ?? standard.schema, bucketLimit: limit.map { Int($0) })
        section.finish()
    }
}

extension Section {
    private static let edgeForm = "a finite number in the histogram's unit, or \(DurationText.form)"
    /// Each costs every scrape a line and a series.
    private static let mostEdges = 200

    /// Upper edges of classic buckets, ascending; durations as seconds.
    func edges(_ key: String) -> [Double]? {
        let edges = list(key, expected: Self.edgeForm) { content -> Double? in
            switch content {
            case .number(let value): value.isFinite ? value : nil
            case .text(let text): DurationText.nanoseconds(text).map { Double($0) / 1e9 }
            default: nil
            }
        }
        guard let edges else { return nil }
        guard (1...Self.mostEdges).contains(edges.count), zip(edges, edges.dropFirst()).allSatisfy({ $0 < $1 }) else {
            note(key, "expected 1 to \(Self.mostEdges) edges, each above the one before")
            return nil
        }
        return edges
    }
}
