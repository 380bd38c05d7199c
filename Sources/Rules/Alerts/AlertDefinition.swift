package import Series

/// A condition on a bot's measurements. People are notified when it holds.
package struct AlertDefinition: Hashable, Sendable {
    /// How the compared value is computed from the instrument.
    package enum Statistic: Hashable, Sendable {
        /// A gauge's value, or a counter's total; with `divisor`, the quotient of two gauges with the same labels.
        case value
        /// A quantile of a histogram, over one of the collector's windows.
        case quantile(Double)
        /// The increase of a counter's total, or of a histogram's count, over the window. Until the whole window was
        /// watched, it is the increase so far; see `coverage`.
        case increase
        /// The increase over the window, divided by the window's whole length in seconds. If the window was not watched
        /// as a whole, `<` and `<=` compare the increase divided by the watched time.
        case rate
        /// The increase, as a share of the increase of `divisor`.
        case ratio
        /// The growth of a gauge over the window, as a share of its value at the window's beginning. No data before the
        /// whole window was watched.
        case growth
        /// The increase in the window's last sixtieth, as a share of the median of its sixtieths. No data before half
        /// the window was watched.
        case rateToMedian
        /// The age of the moment whose time a gauge has as its value, in seconds since the Unix epoch.
        case age
        /// 1 if the bot lacks the series, otherwise 0. No data while the bot is not up.
        case absent
        /// The seconds for which a series has not changed: a counter's total, a gauge's value, a histogram's count. No
        /// data while the bot is not up.
        case stale
    }

    package enum Comparison: String, CaseIterable, Sendable {
        case above = ">"
        case atLeast = ">="
        case below = "<"
        case atMost = "<="

        package func holds(_ value: Double, _ threshold: Double) -> Bool {
            switch self {
            case .above: value > threshold
            case .atLeast: value >= threshold
            case .below: value < threshold
            case .atMost: value <= threshold
            }
        }

        /// Whether the comparison holds for values above the threshold rather than below it.
        var asksForMore: Bool { prefers(1, to: 0) }

        /// Returns whether the first of two values is further on the side that the comparison asks for.
        func prefers(_ a: Double, to b: Double) -> Bool {
            switch self {
            case .above, .atLeast: a > b
            case .below, .atMost: a < b
            }
        }
    }

    /// Unique among the alerts; a label's value in the exports.
    package var name: String
    /// Such as `P0`; a label's value in the exports.
    package var severity: String
    /// Bots that the alert applies to.
    package var bot: Glob
    /// A name on `/metrics`, or one of `BotAccountSeries`.
    package var instrument: String
    /// Labels that a series must have, with these values.
    package var labels: [Label]
    package var statistic: Statistic
    /// The divisor of `ratio`, and of `value` if it is set.
    package var divisor: String?
    /// The window of a quantile, a rate, an increase, a ratio, a growth or a `rateToMedian`.
    package var window: ObjectiveWindow
    package var comparison: Comparison
    /// In the instrument's unit.
    package var threshold: Double
    /// The time for which the condition must hold without a break before the alert fires.
    package var forSeconds: Int64
    /// The time for which the condition must not hold, without a break, before a firing alert ends.
    package var resolveSeconds: Int64
    /// The least number of records in the window of a quantile, the least increase of a ratio's divisor, or the least
    /// median of `rateToMedian`. Below it there is no data.
    package var minimum: Double
    /// The share of the window of a quantile, a rate, an increase or a ratio that must have been watched. With less,
    /// there is no data. Nil means a safe default: none for a bound that further increase can only exceed, the whole
    /// window for any other bound of an increase or a rate, half the window for ratios and quantiles.
    package var coverage: Double?
    /// Texts for the people notified; they do not affect the evaluation.
    package var annotations = Annotations()

    /// Texts that are sent with an alert's measurement; "" if there is none.
    package struct Annotations: Hashable, Sendable {
        package var summary = ""
        package var description = ""
        /// The address of the instructions for this alert.
        package var runbook = ""

        package init(summary: String = "", description: String = "", runbook: String = "") {
            self.summary = summary
            self.description = description
            self.runbook = runbook
        }
    }

    /// Returns the share of the window that must have been watched.
    ///
    /// - Parameter mayFall: Whether the total may decrease.
    func neededCoverage(mayFall: Bool = false) -> Double {
        if let coverage { return coverage }
        return switch statistic {
        case .increase, .rate: comparison.asksForMore && !mayFall ? 0 : 1
        case .quantile, .ratio: 0.5
        case .value, .growth, .rateToMedian, .age, .absent, .stale: 0
        }
    }

    /// Returns whether this alert can continue from the state of another one.
    func isSame(as other: AlertDefinition) -> Bool {
        var other = other
        (other.annotations, other.resolveSeconds, other.coverage) = (annotations, resolveSeconds, coverage)
        return self == other
    }

    package init(
        name: String, severity: String, bot: Glob = .all, instrument: String, labels: [Label] = [],
        statistic: Statistic = .value, divisor: String? = nil, window: ObjectiveWindow = .oneMinute,
        comparison: Comparison = .above, threshold: Double, forSeconds: Int64 = 0, resolveSeconds: Int64 = 0,
        minimum: Double = 1, coverage: Double? = nil
    ) {
        self.name = name
        self.severity = severity
        self.bot = bot
        self.instrument = instrument
        self.labels = labels
        self.statistic = statistic
        self.divisor = divisor
        self.window = window
        self.comparison = comparison
        self.threshold = threshold
        self.forSeconds = forSeconds
        self.resolveSeconds = resolveSeconds
        self.minimum = minimum
        self.coverage = coverage
    }

    /// See ``BotAccountSeries``.
    package static let lastRecordAge = "ringside_last_record_age_seconds"
    package static let lostRecords = "ringside_lost_records_total"
    package static let processorTime = "ringside_bot_cpu_seconds_total"
    package static let residentMemory = "ringside_bot_resident_memory_bytes"

    /// The series that tells whether a series has left its usual range, as `/metrics` shows it.
    package static let unusualLevel = "ringside_unusual_level"

    /// The names that the value is read from.
    package var instruments: [String] { [instrument] + (divisor.map { [$0] } ?? []) }

    /// The names in `instruments`, and the metrics that they may be derived from.
    var metrics: [String] { instruments.flatMap { [$0] + DerivedSeries.all(named: $0).map(\.base) } }

    /// The compared quantity, in words.
    var quantity: String {
        switch statistic {
        case .value: divisor.map { "\(subject) / \($0)" } ?? subject
        case .quantile(let quantile): "quantile \(quantile) of \(subject) over \(window.name)"
        case .increase: "increase of \(subject) over \(window.name)"
        case .rate: "increase per second of \(subject) over \(window.name)"
        case .growth: "growth of \(subject) over \(window.name)"
        case .rateToMedian: "rate of \(subject) / its median over \(window.name)"
        case .ratio: "increase of \(subject) over \(window.name) / that of \(divisor ?? "")"
        case .age: "age of \(subject)"
        case .stale: "time without a change of \(subject)"
        case .absent: subject
        }
    }

    /// The unit of the compared quantity, as far as the instrument's name tells.
    package var unit: MetricUnit {
        switch statistic {
        case .value where divisor != nil: .none
        case .value, .quantile: MetricUnit(suffixOf: instrument) ?? .none
        // A histogram's increase is a number of calls, whatever its values are in.
        case .increase: instrument.hasSuffix("_total") ? MetricUnit(suffixOf: instrument) ?? .none : .none
        case .age, .stale: .seconds
        case .rate, .growth, .rateToMedian, .ratio, .absent: .none
        }
    }

    /// The condition, in words.
    package var condition: String {
        let wait = forSeconds > 0 ? " for \(forSeconds) s" : ""
        if statistic == .absent { return "\(subject) is absent" + wait }
        return "\(quantity) \(comparison.rawValue) \(threshold)" + wait
    }

    private var subject: String {
        labels.isEmpty
            ? instrument : "\(instrument){\(labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ","))}"
    }
}

extension ObjectiveWindow {
    package static let oneMinute = minute
}
