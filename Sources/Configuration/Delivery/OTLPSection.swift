internal import Rules
internal import Series

extension ExportDefinition {
    private enum Signal: String, CaseIterable {
        case metrics, traces
    }

    /// Returns one export for each signal that the section sends.
    static func otlp(_ section: Section) -> [ExportDefinition] {
        let destination = Destination(section, kind: "otlp")
        let signals = section.choices("send", Signal.self).map { Set($0) } ?? [.metrics]
        if signals.isEmpty { section.note("send", "the list is empty; expected \"metrics\", \"traces\" or both") }
        var options = OTLPOptions()
        options.scale = section.whole("scale", -4...7) ?? options.scale
        options.bucketLimit = section.bucketLimit(default: options.bucketLimit)
        options.batchPoints = section.whole("batch_points", 1...100_000) ?? options.batchPoints
        var traces = OTLPTraceOptions()
        traces.bufferSpans = section.whole("span_buffer", 1...10_000_000) ?? traces.bufferSpans
        traces.batchSpans = section.whole("batch_spans", 1...100_000) ?? traces.batchSpans
        guard let destination else { return [] }
        // Each has its own queue, so that a server that refuses traces does not delay metrics.
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
        options.histograms = section.choice("histograms", RemoteWriteOptions.Histograms.self) ?? options.histograms
        options.schema = section.whole("schema", -4...7) ?? options.schema
        options.bucketLimit = section.bucketLimit(default: options.bucketLimit)
        options.batchSeries = section.whole("batch_series", 1...100_000) ?? options.batchSeries
        guard let destination else { return nil }
        self.init(destination: destination, kind: .remoteWrite(options))
    }
}

extension Section {
    /// Reads `max_buckets`. Returns nil for "none", and the default if the key is absent or wrong.
    fileprivate func bucketLimit(default limit: Int?) -> Int? {
        let expected = "a whole number from 2 to 100000, or \"none\""
        let read: Int?? = value("max_buckets", expected: expected, names: ["none"]) { content -> Int?? in
            if case .number(let number) = content, (2...100_000) ~= number, number == number.rounded() {
                return .some(Int(number))
            }
            return content.text == "none" ? .some(nil) : nil
        }
        return read ?? limit
    }

    /// Reads an object of patterns by label.
    func labelPatterns(_ key: String) -> [LabelPattern] {
        (labels(key) ?? []).map { LabelPattern($0.name, Glob($0.value)) }
    }
}
