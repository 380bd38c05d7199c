internal import Rules
internal import Series

/// Reads the objectives and alerts of a file, and adds the ready-made ones that it keeps.
final class RuleSections {
    private let root: Section
    /// The series that the file's rules read.
    private(set) var waiting: [(rule: WaitingRule, series: RuleSeries)] = []
    /// The alerts of the file, without the ready-made ones.
    private(set) var ownAlerts: [(alert: AlertDefinition, section: Section)] = []

    init(_ root: Section) { self.root = root }

    var objectives: [ObjectiveDefinition] {
        let keeps = root.bool("standard_objectives") ?? true
        let own = named("objectives", "objective") { section in
            let objective = ObjectiveDefinition(section)
            if let objective { check(objective, section) }
            return objective
        }
        let names = Set(own.map(\.name))
        return (keeps ? ObjectiveDefinition.standard : []).filter { !names.contains($0.name) } + own
    }

    /// Returns the alerts.
    ///
    /// - Parameters:
    ///   - windows: The windows over which quantiles are computed; nil if unknown.
    ///   - quantiles: The computed quantiles; nil if unknown.
    func alerts(windows: [WindowSpan]?, quantiles: [Double]?) -> [AlertDefinition] {
        let keeps = root.bool("standard_alerts") ?? true
        let own = named("alerts", "alert") { section in
            let alert = AlertDefinition(section, windows: windows, quantiles: quantiles)
            if let alert {
                check(alert, section)
                ownAlerts.append((alert, section))
            }
            return alert
        }
        let names = Set(own.map(\.name))
        let ofLevels = root.bool("unusual_level_alerts") ?? false ? AlertDefinition.ofUnusualLevels : []
        // A ready-made alert on a quantile that is not computed would never fire, so it is left out.
        let standard = AlertDefinition.standard.filter { alert in
            guard case .quantile(let quantile) = alert.statistic else { return true }
            return quantiles?.contains(quantile) ?? true
                && windows?.contains { $0.name == alert.window.name } ?? true
        }
        return ((keeps ? standard : []) + ofLevels).filter { !names.contains($0.name) } + own
    }

    private func check(_ alert: AlertDefinition, _ section: Section) {
        let names = [("instrument", alert.instrument)] + (alert.divisor.map { [("divided_by", $0)] } ?? [])
        for (key, name) in names {
            let reader = RuleSeries.Reader.alert(alert, isDivisor: key == "divided_by")
            guard note(WaitingRule(kind: .alert, name: alert.name, metric: name), reader, key, section) else { return }
        }
        let facts = names.map { KnownSeries.facts(of: $0.1) ?? SeriesFacts(ofName: $0.1) }
        guard !["statistic", "stale_for", "compare", "divided_by"].contains(where: section.isInDoubt),
            let problem = alert.impossibility(facts[0], divisor: facts.count > 1 ? facts[1] : nil)
        else { return }
        section.note(problem.key, problem.reason)
    }

    private func check(_ objective: ObjectiveDefinition, _ section: Section) {
        guard let name = objective.rule?.instrument,
            note(
                WaitingRule(kind: .objective, name: objective.name, metric: name), .objective(objective), "instrument",
                section)
        else { return }
        let facts = KnownSeries.facts(of: name) ?? SeriesFacts(ofName: name)
        if let problem = objective.impossibility(facts) { section.note(problem.key, problem.reason) }
    }

    /// Records the series that a rule reads, a warning where only a bot can have it, and a problem where it cannot have
    /// the threshold.
    ///
    /// - Returns: Whether the name may be that of a series.
    private func note(
        _ rule: WaitingRule, _ reader: RuleSeries.Reader, _ key: String, _ section: Section
    ) -> Bool {
        guard let isUnknown = section.waits(key, rule.metric) else { return false }
        var rule = rule
        if isUnknown {
            let nearest = KnownSeries.nearest(to: rule.metric)
            section.warn(
                key,
                "waits for the metric \(rule.metric), which is not in the catalogue"
                    + (nearest.map { "; did you mean \($0)?" } ?? ""))
            rule.nearest = nearest ?? ""
        }
        let hasDuration = key == "instrument" && section.node("threshold")?.content.text != nil
        if hasDuration, let unit = MetricUnit(suffixOf: rule.metric),
            let problem = RuleSeries.problem(durationFor: rule.metric, in: unit, reader)
        {
            section.note("threshold", problem)
        }
        waiting.append((rule, RuleSeries(reader, isKnown: !isUnknown, hasDuration: hasDuration)))
        return true
    }

    /// Reads a list of sections. Records names that are used twice.
    private func named<Value>(_ key: String, _ kind: String, _ read: (Section) -> Value?) -> [Value] {
        var lines: [String: Int] = [:]
        return root.objects(key) { section in
            let value = read(section)
            if let name = section.node("name")?.content.text {
                if let first = lines[name] {
                    section.note(
                        "name", "\"\(name)\" is the name of the \(kind) in line \(first) too; choose another name")
                }
                lines[name] = lines[name] ?? section.line
            }
            return value
        }.compactMap { $0 }
    }
}

extension Section {
    /// Reads a name that becomes a label's value in the exports.
    func name() -> String? {
        require("name", "a unique name")
        return text("name", expected: "a name in quotes")
    }

    /// Returns whether a name is unknown until a bot registers it. Returns nil, and records a problem, if no bot may
    /// register it.
    fileprivate func waits(_ key: String, _ name: String) -> Bool? {
        if KnownSeries.facts(of: name) != nil { return false }
        guard ShownSeries.owns(name) else { return true }
        let remedy = KnownSeries.nearest(to: name).map { "did you mean \($0)?" } ?? "see the names that /metrics shows"
        note(key, "the collector has no series \(name), and no bot may register it; \(remedy)")
        return nil
    }

    /// Reads a delay of whole seconds.
    func seconds(_ key: String) -> Int64? {
        duration(key, DurationText.Bounds(from: "0s", to: nil, isWholeSeconds: true)).map { $0 / 1_000_000_000 }
    }

    /// Reads the share of a window that the collector must have watched.
    func coverage() -> Double? {
        number("coverage", expected: "a share from 0 to 1, such as 0.5") { (0...1).contains($0) }
    }

    static let thresholdForm = "a number in the instrument's unit, or \(DurationText.form)"

    /// Reads a number in the instrument's unit, or a duration as seconds.
    func threshold() -> Double? {
        value("threshold", expected: Self.thresholdForm) { content in
            switch content {
            case .number(let number): number
            case .text(let text): DurationText.nanoseconds(text).map { Double($0) / 1e9 }
            default: nil
            }
        }
    }

    func window(_ content: Node.Content) -> ObjectiveWindow? {
        guard let text = content.text, let length = DurationText.nanoseconds(text), length % 1_000_000_000 == 0 else {
            return nil
        }
        return ObjectiveWindow(name: text, lengthSeconds: length / 1_000_000_000)
    }

    static let windowForm =
        "a duration such as \"5m\": whole seconds up to 5m, whole minutes up to 6h, or whole hours up to 30d"
}

extension ObjectiveDefinition {
    init?(_ section: Section) {
        let name = section.name()
        let bot = section.glob("bot")
        section.require("target", "the share of good events, such as 0.99")
        let target = section.number("target", expected: "a share above 0 and below 1, such as 0.99") {
            $0 > 0 && $0 < 1
        }
        let windows = section.list("windows", expected: Section.windowForm) { section.window($0) }
        let minimum = section.number("minimum_events", expected: "a whole number, 1 or more") {
            $0 >= 1 && $0 <= 1e15 && $0 == $0.rounded()
        }
        let (wait, calm, coverage) = (section.seconds("for"), section.seconds("resolve_after"), section.coverage())
        guard let measure = Measure(section), let name, let target else { return nil }
        self.init(
            name: name, bot: bot ?? .all, measure: measure, target: target,
            windows: windows.map { $0.sorted { $0.lengthSeconds < $1.lengthSeconds } } ?? ObjectiveWindow.standard,
            minimumEvents: minimum.map { UInt64($0) } ?? Self.standardMinimumEvents, forSeconds: wait ?? 0,
            resolveSeconds: calm ?? 0, coverage: coverage ?? Self.standardCoverage)
    }
}

extension ObjectiveDefinition.Measure {
    fileprivate init?(_ section: Section) {
        if section.bool("availability") == true {
            for key in ["instrument", "labels", "threshold"] where section.node(key) != nil {
                section.note(key, "an objective of availability has no \(key); remove one of the two")
            }
            self = .availability
            return
        }
        if !section.isInDoubt("availability") {
            section.require("instrument", "the name of a histogram, or availability: true instead of it")
            section.require("threshold", Section.thresholdForm)
        }
        let instrument = section.text("instrument", expected: "the name of a histogram in quotes")
        let labels = section.labels("labels")
        guard let threshold = section.threshold(), let instrument else { return nil }
        self = .threshold(ThresholdRule(instrument: instrument, labels: labels ?? [], threshold: threshold))
    }
}
