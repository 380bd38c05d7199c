package import Rules
package import Series

/// What an operator may change of a collector while it runs, read from one JSON5 file and checked whole.
package struct Configuration: Equatable, Sendable {
    /// Rings to take or leave; default all.
    package var rings = RingSelection.all
    /// The sliding windows of every series, shortest first; default 1s, 5s, 1m. Read at the start alone.
    package var windows = WindowSpan.standard
    /// The quantiles that are shown, ascending; default 0.5, 0.95, 0.99, 0.999. Read at the start alone.
    package var quantiles = SeriesOptions.standardQuantiles
    /// What the exports change of metrics; default nothing.
    package var metrics: [MetricRule] = []
    /// The most series that exports show of a bot; default no bound.
    package var maximumSeries: Int?
    /// How many bots and series there may be, and when those that are gone are forgotten.
    package var limits = BotLimits()
    /// How histograms go out as native ones; default schema 6 without a limit of buckets.
    package var nativeHistograms = NativeHistogramOptions.standard

    /// What bots are held to; default the trading catalogue's.
    package var objectives = ObjectiveDefinition.standard
    /// What somebody is to be told of; default the trading catalogue's.
    package var alerts = AlertDefinition.standard
    /// Who is told of alerts; default nobody.
    package var alertmanagers: [AlertmanagerDefinition] = []
    package var webhooks: [WebhookDefinition] = []
    /// Where snapshots are sent; default nowhere.
    package var exports: [ExportDefinition] = []

    /// The defaults: what holds without a file.
    package init() {}

    /// Reads a file's bytes.
    ///
    /// - Parameter file: The file's name, for messages.
    /// - Throws: ``ConfigurationError`` with every problem that was found.
    package init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        self = try Document.read(bytes, file: file) { Configuration($0) }
    }

    private init(_ root: Section) {
        if let node = root.node("rings") {
            rings = RingSelection(Section(node, path: "rings", problems: root.problems))
        }
        windows = root.windows ?? windows
        quantiles = root.quantiles ?? quantiles
        metrics = root.sections("metrics").map { MetricRule($0) }
        maximumSeries = root.maximumSeries
        limits = BotLimits(root)
        if let node = root.node("native_histograms") {
            nativeHistograms = NativeHistogramOptions(
                Section(node, path: "native_histograms", problems: root.problems))
        }
        let ready = ReadyMade(root)
        objectives = ready.objectives
        alerts = ready.alerts(windows: windows, quantiles: quantiles)
        readDestinations(root)
        root.finish()
    }

    private mutating func readDestinations(_ root: Section) {
        var names: Set<String> = []
        func isFree(_ name: String, _ section: Section) -> Bool {
            let isFree = names.insert(name).inserted
            if !isFree { section.note("name", "\"\(name)\" is another destination's; expected a name of its own") }
            return isFree
        }
        alertmanagers = root.sections("alertmanagers").compactMap { section in
            defer { section.finish() }
            return AlertmanagerDefinition(section).flatMap { isFree($0.destination.name, section) ? $0 : nil }
        }
        webhooks = root.sections("webhooks").compactMap { section in
            defer { section.finish() }
            return WebhookDefinition(section).flatMap { isFree($0.destination.name, section) ? $0 : nil }
        }
        exports = ExportSections(root).exports { isFree($0.destination.name, $1) }
    }

    /// What of another configuration cannot be taken on without a restart: changing it would lose what the windows hold.
    package func needsRestart(for next: Configuration) -> [String] {
        (windows == next.windows ? [] : ["windows"]) + (quantiles == next.quantiles ? [] : ["quantiles"])
    }

    /// The exports' part of it.
    package var metricRules: MetricRules { MetricRules(metrics, maximumSeries: maximumSeries) }

    /// The series' part of it.
    package var series: SeriesOptions { SeriesOptions(windows: windows, quantiles: quantiles) }
}

extension Section {
    fileprivate var windows: [WindowSpan]? {
        let expected = "a length: whole seconds (\"5s\") below a minute, whole minutes (\"5m\") up to \"60m\""
        guard let windows = list("windows", expected: expected, { $0.text.flatMap { WindowSpan($0) } }) else {
            return nil
        }
        guard !windows.isEmpty, Set(windows.map(\.lengthNanoseconds)).count == windows.count else {
            note("windows", "expected at least one length, and each once")
            return nil
        }
        return windows.sorted { $0.lengthNanoseconds < $1.lengthNanoseconds }
    }

    fileprivate var quantiles: [Double]? {
        let quantiles = list("quantiles", expected: "a number between 0 and 1, such as 0.99") { content -> Double? in
            if case .number(let value) = content, (0...1).contains(value) { value } else { nil }
        }
        guard let quantiles else { return nil }
        guard !quantiles.isEmpty, Set(quantiles).count == quantiles.count else {
            note("quantiles", "expected at least one, and each once")
            return nil
        }
        return quantiles.sorted()
    }
}

extension Node.Content {
    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }
}

extension RingSelection {
    fileprivate init(_ section: Section) {
        let expected = "a bot, a ring or a pattern with * and ?, in quotes"
        let take = section.list("take", expected: expected) { $0.text.map { Glob($0) } }
        let leave = section.list("leave", expected: expected) { $0.text.map { Glob($0) } }
        self.init(take: take ?? [.all], leave: leave ?? [])
        section.finish()
    }
}
