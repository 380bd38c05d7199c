package import Rules
package import Series

/// The settings that an operator can change while a collector runs, read from one JSON5 file and checked as a whole.
package struct CollectorConfiguration: Equatable, Sendable {
    /// The rings that are drained; default all.
    package var rings = RingSelection.all
    /// The sliding windows of every series, shortest first; default 1s, 5s, 1m. They are read only at startup.
    package var windows = WindowSpan.standard
    /// The exported quantiles, ascending; default 0.5, 0.95, 0.99, 0.999. They are read only at startup.
    package var quantiles = SeriesOptions.standardQuantiles
    /// Changes that the exports make to metrics; default none.
    package var metrics: [MetricRule] = []
    /// The most series of a bot that exports show; default no bound.
    package var maximumSeries: Int?
    /// The limits on bots and series, and how long absent bots are kept.
    package var limits = BotLimits()
    /// How histograms are exported as native histograms; default schema 6 without a limit of buckets.
    package var nativeHistograms = NativeHistogramOptions.standard

    /// The objectives of bots; default the trading catalogue's.
    package var objectives = ObjectiveDefinition.standard
    /// The alerts; default the trading catalogue's.
    package var alerts = AlertDefinition.standard
    /// The Alertmanagers and webhooks to which alerts are sent; default none.
    package var alertmanagers: [AlertmanagerDefinition] = []
    package var webhooks: [WebhookDefinition] = []
    /// The destinations to which snapshots are sent; default none.
    package var exports: [ExportDefinition] = []

    /// Rules on metrics that are unknown until a bot registers them.
    package var waiting = WaitingRules()
    /// Settings that are valid but may not be meant.
    package var warnings: [ConfigurationError.Problem] = []

    /// Makes the defaults, which apply without a file.
    package init() {}

    /// Reads a file's bytes.
    ///
    /// - Parameter file: The file's name, for messages.
    /// - Throws: ``ConfigurationError`` with every problem found.
    package init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        self = try Document.read(bytes, file: file) { CollectorConfiguration($0) }
    }

    private init(_ root: Section) {
        root.expect(
            WebConfiguration.keys + ["web"], elsewhere: "the web server's keys are in the file of --web.config.file")
        rings = root.object("rings") { RingSelection($0) } ?? rings
        windows = root.windows ?? windows
        quantiles = root.quantiles ?? quantiles
        metrics = root.objects("metrics") { MetricRule($0) }
        maximumSeries = root.maximumSeries
        limits = BotLimits(root)
        nativeHistograms = root.object("native_histograms") { NativeHistogramOptions($0) } ?? nativeHistograms
        let ready = RuleSections(root)
        objectives = ready.objectives
        // Alerts are not checked against settings that could not be read.
        alerts = ready.alerts(
            windows: root.isInDoubt("windows") ? nil : windows, quantiles: root.isInDoubt("quantiles") ? nil : quantiles
        )
        for rule in ready.waiting { waiting.add(rule.rule, rule.series) }
        var routes = AlertRoutes(own: ready.ownAlerts)
        readDestinations(root, &routes)
        routes.warn(alerts: alerts)
        warnings = root.warnings.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    private mutating func readDestinations(_ root: Section, _ routes: inout AlertRoutes) {
        var names: Set<String> = []
        func isFree(_ name: String, _ section: Section) -> Bool {
            let isFree = section.isInDoubt("name") || names.insert(name).inserted
            if !isFree {
                section.note(
                    "name", "\"\(name)\" is the name of another destination too; give this one a name of its own")
            }
            return isFree
        }
        alertmanagers = root.objects("alertmanagers") { section in
            guard let read = AlertmanagerDefinition(section), isFree(read.destination.name, section) else { return nil }
            routes.destinations.append((read.selection, section))
            return read
        }.compactMap { $0 }
        webhooks = root.objects("webhooks") { section in
            guard let read = WebhookDefinition(section), isFree(read.destination.name, section) else { return nil }
            routes.destinations.append((read.selection, section))
            return read
        }.compactMap { $0 }
        exports = ExportSections(root).exports { isFree($0.destination.name, $1) }
    }

    /// Returns the changed settings that take effect only after a restart, since a change would lose the contents of
    /// the windows.
    package func needsRestart(for next: CollectorConfiguration) -> [String] {
        (windows == next.windows ? [] : ["windows"]) + (quantiles == next.quantiles ? [] : ["quantiles"])
    }

    /// The rules for the exports.
    package var metricRules: MetricRules { MetricRules(metrics, maximumSeries: maximumSeries) }

    /// The options of the series.
    package var series: SeriesOptions { SeriesOptions(windows: windows, quantiles: quantiles) }
}

extension Section {
    fileprivate var windows: [WindowSpan]? {
        let expected =
            "a duration such as \"5m\": whole seconds below a minute, whole minutes from there to 60m"
        let windows = list("windows", expected: expected) { $0.text.flatMap { WindowSpan($0) } }
        guard let windows, isListed("windows", windows, by: \.lengthNanoseconds, name: { "\"\($0.name)\"" }) else {
            return nil
        }
        return windows.sorted { $0.lengthNanoseconds < $1.lengthNanoseconds }
    }

    fileprivate var quantiles: [Double]? {
        let quantiles = list("quantiles", expected: "a number from 0 to 1, such as 0.99") { content -> Double? in
            if case .number(let value) = content, (0...1).contains(value) { value } else { nil }
        }
        guard let quantiles, isListed("quantiles", quantiles, by: \.self, name: { "\($0)" }) else { return nil }
        return quantiles.sorted()
    }

    /// Returns whether a list has entries that all differ. Records a problem if it has none, or two equal ones.
    private func isListed<Value, Measure: Hashable>(
        _ key: String, _ values: [Value], by measure: (Value) -> Measure, name: (Value) -> String
    ) -> Bool {
        if values.isEmpty { note(key, "the list is empty; add at least one entry, or remove the key for the default") }
        var names: [Measure: String] = [:]
        for value in values {
            if let first = names.updateValue(name(value), forKey: measure(value)) {
                let pair =
                    first == name(value) ? "\(first) is listed twice" : "\(first) and \(name(value)) are the same"
                note(key, "\(pair); remove one of the two")
                return false
            }
        }
        return !values.isEmpty
    }
}

extension RingSelection {
    fileprivate init(_ section: Section) {
        let expected = "a bot, a ring or a pattern with * and ?, in quotes"
        let take = section.list("take", expected: expected) { $0.text.map { Glob($0) } }
        let leave = section.list("leave", expected: expected) { $0.text.map { Glob($0) } }
        self.init(take: take ?? [.all], leave: leave ?? [])
    }
}
