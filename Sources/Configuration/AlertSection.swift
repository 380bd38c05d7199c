internal import Rules
internal import Series

extension AlertDefinition {
    /// Reads one alert, and records missing keys.
    ///
    /// - Parameters:
    ///   - windows: The windows over which quantiles are computed; nil if unknown.
    ///   - quantiles: The computed quantiles; nil if unknown.
    init?(_ section: Section, windows: [WindowSpan]?, quantiles: [Double]?) {
        let name = section.name()
        section.require("severity", "a word such as \"P1\"")
        let severity = section.text("severity", expected: "a word in quotes such as \"P1\"")
        section.require("instrument", "a registered name")
        let instrument = section.text("instrument", expected: "a registered name in quotes")
        let bot = section.glob("bot")
        let labels = section.labels("labels")
        let stale = section.duration("stale_for", DurationText.Bounds(from: "1s", to: nil)).map { Double($0) * 1e-9 }
        let statistic = stale == nil ? section.statistic(quantiles) ?? .value : .stale
        section.checkKeys(of: statistic)
        let divisor = section.text("divided_by", expected: "a registered name in quotes")
        section.checkDivisor(of: statistic)
        let window = section.alertWindow(of: statistic, windows)
        let comparison = section.choice("compare", Comparison.self)
        let wait = section.seconds("for")
        let calm = section.seconds("resolve_after")
        let minimum = section.number("minimum_events", expected: "a number, 1 or more") { $0 >= 1 }
        let coverage = section.coverage(of: statistic)
        let annotations = Annotations(
            summary: section.text("summary", expected: "a text in quotes") ?? "",
            description: section.text("description", expected: "a text in quotes") ?? "",
            runbook: section.text("runbook", expected: "an address in quotes") ?? "")
        let hasThreshold = statistic != .absent && !section.has("stale_for")
        if hasThreshold, !section.isInDoubt("stale_for"), !section.isInDoubt("statistic") {
            section.require("threshold", Section.thresholdForm)
        }
        guard let threshold = stale ?? (hasThreshold ? section.threshold() : 0), let name, let severity, let instrument
        else { return nil }
        self.init(
            name: name, severity: severity, bot: bot ?? .all, instrument: instrument, labels: labels ?? [],
            statistic: statistic, divisor: divisor, window: window ?? .oneMinute,
            comparison: stale == nil ? comparison ?? .above : .atLeast,
            threshold: threshold, forSeconds: wait ?? 0, resolveSeconds: calm ?? 0, minimum: minimum ?? 1,
            coverage: coverage)
        self.annotations = annotations
    }
}

extension Section {
    private static let statistics: KeyValuePairs<String, AlertDefinition.Statistic> = [
        "value": .value, "increase": .increase, "rate": .rate, "ratio": .ratio, "growth": .growth,
        "rate_to_median": .rateToMedian, "age": .age, "absent": .absent,
    ]

    fileprivate func statistic(_ quantiles: [Double]?) -> AlertDefinition.Statistic? {
        let names = Self.statistics.map(\.key)
        let expected = "\(names.quoted("or")), or a quantile such as \"p99\""
        let read = value("statistic", expected: expected, names: names) { content in
            content.text.flatMap { text in
                Self.statistics.first { $0.key == text }?.value ?? text.quantile.map { .quantile($0) }
            }
        }
        if case .quantile(let quantile)? = read, quantiles?.contains(quantile) == false {
            note(
                "statistic",
                "\(node("statistic")?.content.text ?? "") is not computed; add \(quantile) to `quantiles`")
        }
        return read
    }

    /// Records keys that have no meaning for an alert without a value.
    fileprivate func checkKeys(of statistic: AlertDefinition.Statistic) {
        let keys: (names: [String], what: String)
        switch statistic {
        case .absent: keys = (["threshold", "compare", "window", "minimum_events"], "the statistic \"absent\"")
        case .stale:
            keys = (["statistic", "threshold", "compare", "window", "minimum_events"], "an alert with stale_for")
        default: return
        }
        for key in keys.names where node(key) != nil { note(key, "\(keys.what) has no \(key); remove the key") }
    }

    fileprivate func checkDivisor(of statistic: AlertDefinition.Statistic) {
        switch statistic {
        case .ratio: require("divided_by", "the name of what a ratio divides by")
        case .value: break
        default:
            if has("divided_by") {
                note("divided_by", "only the statistics \"ratio\" and \"value\" have a divisor; remove the key")
            }
        }
    }

    fileprivate func coverage(of statistic: AlertDefinition.Statistic) -> Double? {
        switch statistic {
        case .quantile, .increase, .rate, .ratio: break
        case .value, .growth, .rateToMedian, .age, .absent, .stale:
            if has("coverage"), !isInDoubt("statistic") {
                note(
                    "coverage",
                    "only quantiles and the statistics \"increase\", \"rate\" and \"ratio\" have a coverage; remove the key"
                )
            }
        }
        return coverage()
    }

    fileprivate func alertWindow(
        of statistic: AlertDefinition.Statistic, _ windows: [WindowSpan]?
    ) -> ObjectiveWindow? {
        let window = value("window", expected: Section.windowForm) { self.window($0) }
        guard case .quantile = statistic, let windows, !isInDoubt("window") else { return window }
        let name = (window ?? .oneMinute).name
        guard !windows.contains(where: { $0.name == name }) else { return window }
        let known = windows.map(\.name).quoted("or")
        let span = WindowSpan(name)
        let remedy =
            if let same = windows.first(where: { $0.lengthNanoseconds == span?.lengthNanoseconds }) {
                "write \"\(same.name)\", as in `windows`"
            } else if span != nil {
                "add \"\(name)\" to `windows`, or choose \(known)"
            } else {
                "choose \(known)"
            }
        note("window", "quantiles over \"\(name)\" are not computed; \(remedy)")
        return window
    }
}

extension String {
    /// The quantile in a text such as `p99`, which is 0.99: its digits are the decimals, as in the exports. Nil for
    /// another text.
    fileprivate var quantile: Double? {
        let digits = dropFirst()
        guard hasPrefix("p"), !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Double("0.\(digits)")
    }
}
