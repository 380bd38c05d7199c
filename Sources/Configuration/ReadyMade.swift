internal import Rules
internal import Series

/// The objectives and alerts of a file, with the ready-made ones that it keeps.
struct ReadyMade {
    private let root: Section

    init(_ root: Section) { self.root = root }

    var objectives: [ObjectiveDefinition] {
        let keeps = root.bool("standard_objectives") ?? true
        let own = named("objectives") { ObjectiveDefinition($0) }
        let names = Set(own.map(\.name))
        return (keeps ? ObjectiveDefinition.standard : []).filter { !names.contains($0.name) } + own
    }

    /// - Parameters:
    ///   - windows: Those over which quantiles are known.
    ///   - quantiles: Those that are known.
    func alerts(windows: [WindowSpan], quantiles: [Double]) -> [AlertDefinition] {
        let keeps = root.bool("standard_alerts") ?? true
        let own = named("alerts") { AlertDefinition($0, windows: windows, quantiles: quantiles) }
        let names = Set(own.map(\.name))
        // A ready-made alert on a quantile that is not kept has nothing to look at.
        let standard = AlertDefinition.standard.filter { alert in
            guard case .quantile(let quantile) = alert.statistic else { return true }
            return quantiles.contains(quantile) && windows.contains { $0.name == alert.window.name }
        }
        return (keeps ? standard : []).filter { !names.contains($0.name) } + own
    }

    /// What a list's sections are read as; a name that stands twice is noted.
    private func named<Value>(_ key: String, _ read: (Section) -> Value?) -> [Value] {
        var names: [String: Int] = [:]
        return root.sections(key).compactMap { section in
            let value = read(section)
            if let name = section.node("name")?.content.text {
                if let first = names[name] {
                    section.note("name", "\"\(name)\" stands twice, first in line \(first); expected a name of its own")
                }
                names[name] = names[name] ?? section.line
            }
            section.finish()
            return value
        }
    }
}

extension Section {
    /// A name that is a label's value in the exports.
    func name() -> String? {
        require("name", "a name of its own")
        return text("name", expected: "a name in quotes")
    }

    /// A number in the instrument's unit, or a duration in seconds.
    func threshold() -> Double? {
        require("threshold", "a number in the instrument's unit, or \(DurationText.form)")
        return value("threshold", expected: "a number in the instrument's unit, or \(DurationText.form)") { content in
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

    static let windowForm = "whole seconds up to \"5m\", whole minutes up to \"6h\" or whole hours up to \"30d\""
}

extension ObjectiveDefinition {
    init?(_ section: Section) {
        let name = section.name()
        let bot = section.glob("bot")
        section.require("target", "a share of good events such as 0.99")
        let target = section.number("target", expected: "a share above 0 and below 1, such as 0.99") {
            $0 > 0 && $0 < 1
        }
        let windows = section.list("windows", expected: Section.windowForm) { section.window($0) }
        let minimum = section.number("minimum_events", expected: "a whole number from 1 on") {
            $0 >= 1 && $0 <= 1e15 && $0 == $0.rounded()
        }
        guard let measure = Measure(section), let name, let target else { return nil }
        self.init(
            name: name, bot: bot ?? .all, measure: measure, target: target,
            windows: windows.map { $0.sorted { $0.lengthSeconds < $1.lengthSeconds } } ?? ObjectiveWindow.standard,
            minimumEvents: minimum.map { UInt64($0) } ?? Self.standardMinimumEvents)
    }
}

extension ObjectiveDefinition.Measure {
    fileprivate init?(_ section: Section) {
        if section.bool("availability") == true {
            for key in ["instrument", "labels", "threshold"] where section.node(key) != nil {
                section.note(key, "stands beside availability; expected one or the other")
            }
            self = .availability
            return
        }
        section.require("instrument", "the name of a histogram, or availability: true")
        let instrument = section.text("instrument", expected: "the name of a histogram")
        let labels = section.labels("labels")
        guard let threshold = section.threshold(), let instrument else { return nil }
        self = .threshold(ThresholdRule(instrument: instrument, labels: labels ?? [], threshold: threshold))
    }
}
