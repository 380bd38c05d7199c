package import Exposition

/// How the bytes of an answer are coded on their way.
package enum ContentCoding: Hashable, Sendable {
    case identity
    case gzip

    /// Takes gzip where it is wanted at least as much as nothing at all. (RFC 9110, section 12.5.3)
    ///
    /// - Parameter acceptEncoding: The header; "" where there is none, which wants plain bytes here.
    package init(acceptEncoding: String) {
        let elements = WeightedElement.list(acceptEncoding)
        func weight(_ names: [String]) -> Int? { elements.first { names.contains($0.name) }?.weight }
        let rest = weight(["*"])
        let gzip = weight(["gzip", "x-gzip"]) ?? rest ?? 0
        // What is not named is acceptable, and nothing asks for it.
        self = gzip > 0 && gzip >= weight(["identity"]) ?? 0 ? .gzip : .identity
    }
}

extension ExpositionFormat {
    /// The form that an Accept header wants most.
    ///
    /// Of several that are wanted as much, the one that was named most exactly is taken, and of those the one that tells
    /// most: protobuf, OpenMetrics, text. Who names none of them, as browsers do, gets text; so does who accepts nothing that
    /// there is: an answer that can be read helps more than a 406.
    package init(accept: String) {
        let ranges = MediaRange.list(accept)
        let wanted = Self.allCases.compactMap { Preference($0, ranges) }
        self = wanted.max()?.format ?? .text
    }

    /// How exactly a range names the form: 0 for `*/*`, 1 for `text/*`, 2 and more for the form itself; nil where it does not.
    fileprivate func specificity(in range: MediaRange) -> Int? {
        if range.type == "*" { return 0 }
        let (type, subtype, own) = mediaType
        guard range.type == type else { return nil }
        if range.subtype == "*" { return 1 }
        guard range.subtype == subtype else { return nil }
        // A parameter that the form has not, such as the `escaping` of later versions of Prometheus, asks for nothing here.
        var matched = 2
        for (name, value) in own {
            guard let asked = range.value(of: name) else { continue }
            guard asked.lowercased() == value.lowercased() else { return nil }
            matched += 1
        }
        return matched
    }

    private var mediaType: (type: String, subtype: String, parameters: [(name: String, value: String)]) {
        switch self {
        case .protobuf:
            (
                "application", "vnd.google.protobuf",
                [("proto", "io.prometheus.client.MetricFamily"), ("encoding", "delimited")]
            )
        case .openMetrics: ("application", "openmetrics-text", [("version", "1.0.0")])
        case .openMetricsDraft: ("application", "openmetrics-text", [("version", "0.0.1")])
        case .text: ("text", "plain", [("version", "0.0.4")])
        }
    }

    /// How much one form is wanted.
    private struct Preference: Comparable {
        let format: ExpositionFormat
        private let weight: Int
        private let specificity: Int

        /// Nil where the form is not acceptable: the range that names it most exactly decides.
        init?(_ format: ExpositionFormat, _ ranges: [MediaRange]) {
            let matching = ranges.compactMap { range in
                format.specificity(in: range).map { (specificity: $0, weight: range.weight) }
            }
            guard let best = matching.max(by: { $0 < $1 }), best.weight > 0 else { return nil }
            self.format = format
            (specificity, weight) = best
        }

        /// How much the form tells, to somebody who named it; to anybody else how many can read it.
        private var rank: Int {
            switch format {
            case .protobuf: specificity >= 2 ? 3 : 0
            case .openMetrics: 2
            case .openMetricsDraft: 1
            case .text: specificity >= 2 ? 0 : 3
            }
        }

        static func < (a: Preference, b: Preference) -> Bool {
            (a.weight, a.specificity, a.rank) < (b.weight, b.specificity, b.rank)
        }
    }
}
