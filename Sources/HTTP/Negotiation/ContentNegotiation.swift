package import Exposition

/// The content coding of an answer.
package enum ContentCoding: Hashable, Sendable {
    case identity
    case gzip

    /// Chooses gzip if the client prefers it to, or accepts it equally with, plain bytes (RFC 9110, section 12.5.3).
    ///
    /// - Parameter acceptEncoding: The header; "" if there is none, which means plain bytes.
    package init(acceptEncoding: String) {
        let elements = WeightedElement.list(acceptEncoding)
        func weight(_ names: [String]) -> Int? { elements.first { names.contains($0.name) }?.weight }
        let rest = weight(["*"])
        let gzip = weight(["gzip", "x-gzip"]) ?? rest ?? 0
        // A coding that the header does not mention is acceptable but not requested.
        self = gzip > 0 && gzip >= weight(["identity"]) ?? 0 ? .gzip : .identity
    }
}

extension ExpositionFormat {
    /// Chooses the format that an Accept header prefers.
    ///
    /// Among equally preferred formats, the most specific match wins. Among formats that the client names, the richest
    /// wins: protobuf, OpenMetrics, text. A client that names none gets text, even if it accepts none of these: a
    /// readable answer helps more than a 406.
    package init(accept: String) {
        let ranges = MediaRange.list(accept)
        let wanted = Self.allCases.compactMap { Preference($0, ranges) }
        self = wanted.max()?.format ?? .text
    }

    /// Returns how specifically a range names the format: 0 for `*/*`, 1 for `text/*`, 2 and more for the format
    /// itself; nil for no match.
    fileprivate func specificity(in range: MediaRange) -> Int? {
        if range.type == "*" { return 0 }
        let (type, subtype, own) = mediaType
        guard range.type == type else { return nil }
        if range.subtype == "*" { return 1 }
        guard range.subtype == subtype else { return nil }
        // An unknown parameter, such as `escaping` of later Prometheus versions, is ignored.
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

    /// How much a client prefers a format.
    private struct Preference: Comparable {
        let format: ExpositionFormat
        private let weight: Int
        private let specificity: Int

        /// Returns nil if the format is not acceptable. The most specific range decides.
        init?(_ format: ExpositionFormat, _ ranges: [MediaRange]) {
            let matching = ranges.compactMap { range in
                format.specificity(in: range).map { (specificity: $0, weight: range.weight) }
            }
            guard let best = matching.max(by: { $0 < $1 }), best.weight > 0 else { return nil }
            self.format = format
            (specificity, weight) = best
        }

        /// How rich the format is, if the client named it. Otherwise how widely it can be read.
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
