internal import Rules
internal import Series

extension AlertDefinition {
    /// Reads one alert; what it lacks is noted.
    init?(_ section: Section, windows: [WindowSpan], quantiles: [Double]) {
        let name = section.name()
        section.require("severity", "a word such as \"P1\"")
        let severity = section.text("severity", expected: "a word such as \"P1\"")
        section.require("instrument", "a registered name")
        let instrument = section.text("instrument", expected: "a registered name")
        let bot = section.glob("bot")
        let labels = section.labels("labels")
        let statistic = section.statistic(quantiles) ?? .value
        let divisor = section.text("divided_by", expected: "a registered name")
        section.checkDivisor(of: statistic)
        let window = section.alertWindow(of: statistic, windows)
        let comparisons = Comparison.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " ")
        let comparison = section.value("compare", expected: "one of \(comparisons)") {
            $0.text.flatMap { Comparison(rawValue: $0) }
        }
        let wait = section.duration("for", expected: "whole seconds, as \(DurationText.form)") {
            $0 % 1_000_000_000 == 0
        }
        let minimum = section.number("minimum_events", expected: "a number from 1 on") { $0 >= 1 }
        let annotations = Annotations(
            summary: section.text("summary", expected: "a text in quotes") ?? "",
            description: section.text("description", expected: "a text in quotes") ?? "",
            runbook: section.text("runbook", expected: "an address in quotes") ?? "")
        guard let threshold = section.threshold(), let name, let severity, let instrument else { return nil }
        self.init(
            name: name, severity: severity, bot: bot ?? .all, instrument: instrument, labels: labels ?? [],
            statistic: statistic, divisor: divisor, window: window ?? .oneMinute, comparison: comparison ?? .above,
            threshold: threshold, forSeconds: (wait ?? 0) / 1_000_000_000, minimum: minimum ?? 1)
        self.annotations = annotations
    }
}

extension Section {
    private static let statisticForm = "value, increase, rate, ratio, growth, rate_to_median or a quantile such as p99"

    /// `p99` is the quantile 0.99: the digits stand after the point, as the exports name it.
    fileprivate func statistic(_ quantiles: [Double]) -> AlertDefinition.Statistic? {
        let statistic = value("statistic", expected: Self.statisticForm) { content -> AlertDefinition.Statistic? in
            switch content.text {
            case "value": .value
            case "increase": .increase
            case "rate": .rate
            case "ratio": .ratio
            case "growth": .growth
            case "rate_to_median": .rateToMedian
            case let text?:
                text.hasPrefix("p") && text.dropFirst().allSatisfy(\.isWholeNumber)
                    ? Double("0.\(text.dropFirst())").map { .quantile($0) } : nil
            default: nil
            }
        }
        if case .quantile(let quantile)? = statistic, !quantiles.contains(quantile) {
            note(
                "statistic", "is no quantile that is kept; expected one of \(quantiles), or another entry in quantiles")
        }
        return statistic
    }

    fileprivate func checkDivisor(of statistic: AlertDefinition.Statistic) {
        switch statistic {
        case .ratio: require("divided_by", "the name of what a ratio divides by")
        case .value: break
        default:
            if has("divided_by") { note("divided_by", "is for statistic ratio or value alone; expected no such key") }
        }
    }

    fileprivate func alertWindow(
        of statistic: AlertDefinition.Statistic, _ windows: [WindowSpan]
    ) -> ObjectiveWindow? {
        let window = value("window", expected: Section.windowForm) { self.window($0) }
        guard case .quantile = statistic else { return window }
        if !windows.contains(where: { $0.name == (window ?? .oneMinute).name }) {
            let names = windows.map { "\"\($0.name)\"" }.joined(separator: ", ")
            note("window", "is no window over which quantiles are kept; expected one of \(names)")
        }
        return window
    }
}
