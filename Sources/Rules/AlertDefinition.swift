package import Series

/// A condition on what a bot measures that somebody is to be told of.
package struct AlertDefinition: Hashable, Sendable {
    /// What is made of the instrument.
    package enum Statistic: Hashable, Sendable {
        /// A gauge's value, or a counter's total; with `divisor`, the quotient of two gauges of the same labels.
        case value
        /// A quantile of a histogram, over one of the collector's windows.
        case quantile(Double)
        /// Increase over the window: of a counter's total, or of a histogram's count. Before the window was watched whole it is
        /// what came so far, and a lower bound (`<`, `<=`) has no data; nor has any of an up-down counter.
        case increase
        /// Increase per second over the window, by the window's whole length; the same holds before it was watched whole.
        case rate
        /// The increase as a share of the increase of `divisor`.
        case ratio
        /// How much a gauge grew over the window, as a share of what it was when the window began. No data before the window was
        /// watched whole.
        case growth
        /// The increase in the window's last sixtieth as a share of the median of its sixtieths. No data before half the window
        /// was watched.
        case rateToMedian
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

        /// Whether it holds for values beyond the threshold rather than below it.
        var asksForMore: Bool { prefers(1, to: 0) }

        /// Whether the first of two values is further on the side that the comparison asks for.
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
    /// Bots that it is for.
    package var bot: Glob
    /// A registered name, or one of `ownInstruments`.
    package var instrument: String
    /// Labels that a series must have, with these values.
    package var labels: [Label]
    package var statistic: Statistic
    /// The instrument that `ratio`, and `value` where it is set, divide by.
    package var divisor: String?
    /// A quantile's, a rate's, an increase's or a ratio's.
    package var window: ObjectiveWindow
    package var comparison: Comparison
    /// In the instrument's unit.
    package var threshold: Double
    /// How long the condition must hold without a break before the alert fires.
    package var forSeconds: Int64
    /// Records in the window of a quantile, increase of a ratio's divisor, or the median of `rateToMedian`, below which there is
    /// no data.
    package var minimum: Double
    /// For whoever is told; nothing is judged by them.
    package var annotations = Annotations()

    /// What is told of an alert beside what it measures; "" where there is none.
    package struct Annotations: Hashable, Sendable {
        package var summary = ""
        package var description = ""
        /// The address of what to do about it.
        package var runbook = ""

        package init(summary: String = "", description: String = "", runbook: String = "") {
            self.summary = summary
            self.description = description
            self.runbook = runbook
        }
    }

    /// Whether both are judged in the same way.
    func isSame(as other: AlertDefinition) -> Bool {
        var other = other
        other.annotations = annotations
        return self == other
    }

    package init(
        name: String, severity: String, bot: Glob = .all, instrument: String, labels: [Label] = [],
        statistic: Statistic = .value, divisor: String? = nil, window: ObjectiveWindow = .oneMinute,
        comparison: Comparison = .above, threshold: Double, forSeconds: Int64 = 0, minimum: Double = 1
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
        self.minimum = minimum
    }

    /// The collector's own account of a bot, which alerts can look at beside what the bot registered: the age of the last
    /// record of a bot that is alive, records lost for whatever reason but `before_attach`, and what the system says of the
    /// bot's processes.
    package static let lastRecordAge = "ringside_last_record_age_seconds"
    package static let lostRecords = "ringside_lost_records_total"
    package static let processorTime = "ringside_bot_cpu_seconds_total"
    package static let residentMemory = "ringside_bot_resident_memory_bytes"

    /// The names that its value is read from.
    package var instruments: [String] { [instrument] + (divisor.map { [$0] } ?? []) }

    /// The condition for a person.
    package var condition: String {
        let what =
            switch statistic {
            case .value: divisor.map { "\(subject) / \($0)" } ?? subject
            case .quantile(let quantile): "quantile \(quantile) of \(subject) over \(window.name)"
            case .increase: "increase of \(subject) over \(window.name)"
            case .rate: "increase per second of \(subject) over \(window.name)"
            case .growth: "growth of \(subject) over \(window.name)"
            case .rateToMedian: "rate of \(subject) / its median over \(window.name)"
            case .ratio: "increase of \(subject) over \(window.name) / that of \(divisor ?? "")"
            }
        return "\(what) \(comparison.rawValue) \(threshold)" + (forSeconds > 0 ? " for \(forSeconds) s" : "")
    }

    private var subject: String {
        labels.isEmpty
            ? instrument : "\(instrument){\(labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ","))}"
    }
}

extension ObjectiveWindow {
    package static let oneMinute = minute
}
