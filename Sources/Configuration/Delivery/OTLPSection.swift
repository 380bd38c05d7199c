internal import Rules
internal import Series

extension ExportDefinition {
    private enum Signal: String, CaseIterable {
        case metrics, traces
    }

    /// One export each of what the section sends.
    static func otlp(_ section: Section) -> [ExportDefinition] {
        let destination = Destination(section, kind: "otlp")
        let names = section.list("send", expected: "\"metrics\" or \"traces\"") {
            $0.text.flatMap { Signal(rawValue: $0) }
        }
        let signals = names.map { Set($0) } ?? [.metrics]
        if signals.isEmpty { section.note("send", "is empty; expected \"metrics\", \"traces\" or both") }
        var options = OTLPOptions()
        options.scale = section.whole("scale", -4...7) ?? options.scale
        options.bucketLimit = section.bucketLimit(default: options.bucketLimit)
        options.batchPoints = section.whole("batch_points", 1...100_000) ?? options.batchPoints
        var traces = OTLPTraceOptions()
        traces.bufferSpans = section.whole("span_buffer", 1...10_000_000) ?? traces.bufferSpans
        traces.batchSpans = section.whole("batch_spans", 1...100_000) ?? traces.batchSpans
        guard let destination else { return [] }
        // Each has a queue of its own: a server that takes no traces holds up no metrics.
        var second = destination
        second.name += signals.contains(.metrics) ? " traces" : ""
        return
            (signals.contains(.metrics)
            ? [ExportDefinition(destination: destination, kind: .otlpMetrics(options))] : [])
            + (signals.contains(.traces) ? [ExportDefinition(destination: second, kind: .otlpTraces(traces))] : [])
    }

    init?(remoteWrite section: Section) {
        let destination = Destination(section, kind: "remote_write")
        var options = RemoteWriteOptions()
        let names = RemoteWriteOptions.Histograms.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        options.histograms =
            section.value("histograms", expected: "one of \(names)") {
                $0.text.flatMap { RemoteWriteOptions.Histograms(rawValue: $0) }
            } ?? options.histograms
        options.schema = section.whole("schema", -4...7) ?? options.schema
        options.bucketLimit = section.bucketLimit(default: options.bucketLimit)
        options.batchSeries = section.whole("batch_series", 1...100_000) ?? options.batchSeries
        guard let destination else { return nil }
        self.init(destination: destination, kind: .remoteWrite(options))
    }
}

extension Section {
    fileprivate func whole(_ key: String, _ range: ClosedRange<Int>) -> Int? {
        number(key, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            Double(range.lowerBound)...Double(range.upperBound) ~= $0 && $0 == $0.rounded()
        }.map { Int($0) }
    }

    /// `max_buckets`; the outer nil of a value is "none".
    fileprivate func bucketLimit(default limit: Int?) -> Int? {
        let expected = "a whole number from 2 to 100000, or \"none\""
        let read: Int?? = value("max_buckets", expected: expected) { content -> Int?? in
            if case .number(let number) = content, (2...100_000) ~= number, number == number.rounded() {
                return .some(Int(number))
            }
            return content.text == "none" ? .some(nil) : nil
        }
        return read ?? limit
    }

    /// An object of patterns by label.
    func labelPatterns(_ key: String) -> [LabelPattern] {
        (labels(key) ?? []).map { LabelPattern($0.name, Glob($0.value)) }
    }
}
