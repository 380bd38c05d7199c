package import Series

/// All series of one exported name. Every format is written from this form.
package struct MetricFamily: Sendable {
    package enum Kind: String, Sendable {
        case counter, gauge, histogram, summary
    }

    package var name: String
    package var kind: Kind
    package var help: String
    package var unit: MetricUnit
    package var series: [ExportedSeries]
}

/// One labelled series of a family.
package struct ExportedSeries: Sendable {
    /// Formats that need `le` and `quantile` add them.
    package var labelSet: ExportedLabels
    package var value: Value
    /// The time since which a total counts, in seconds since the Unix epoch; nil if it is unknown or the value is no
    /// total.
    package var createdUnixSeconds: Double?
    /// Whether a gauge is an up-down counter's total, which may be summed with others.
    package var isUpDownCounter = false

    package var labels: [Label] { labelSet.all }

    package enum Value: Sendable {
        case number(Number)
        case histogram(HistogramSnapshot)
        /// Quantiles. The total is nil for a sliding window, whose count and sum would go up and down.
        case quantiles([QuantileValue], total: HistogramSummary?)
    }
}

/// A series that the exposition leaves out, and the reason.
package struct LeftOutSeries: Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Error {
        case invalidName
        case nameTaken
        case duplicate
        /// Its unit. The series is left out of every export; the text says why, and what to do.
        case unit(String)
    }

    package var bot: String
    /// The name that the series would have, which may differ from the registered one.
    package var name: String
    /// The labels of the registered series, and its lane.
    package var labels: [Label]
    package var reason: Reason
    /// The registered name, from which the name may be derived, such as `x_max` from the gauge `x`.
    package var registeredName: String

    init(bot: String, _ metric: MetricSnapshot, name: String? = nil, reason: Reason) {
        self.bot = bot
        self.name = name ?? metric.name
        labels = metric.labels + (metric.lane.isEmpty ? [] : [Label("lane", metric.lane)])
        self.reason = reason
        registeredName = metric.name
    }

    init(bot: String, _ series: UnconvertedSeries) {
        self.bot = bot
        (name, labels) = (series.key.name, series.key.labels)
        reason = .unit(series.reason)
        registeredName = series.key.name
    }

    package var description: String {
        let pairs = labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
        let series = name + (pairs.isEmpty ? "" : "{\(pairs)}")
        let origin = name == registeredName ? "" : ", which comes with \(registeredName),"
        let fault =
            switch reason {
            case .invalidName: "a metric or label name that Prometheus does not allow"
            case .nameTaken: "a name that stands for another kind of metric"
            case .duplicate: "a name and labels that another series has already"
            case .unit(let text): text
            }
        if case .unit = reason { return "\(series) of bot \(bot) is left out of every export: \(fault)" }
        return "\(series) of bot \(bot)\(origin) is left out of /metrics: it has \(fault); "
            + "register \(registeredName) under another name"
    }
}

/// The names that Prometheus accepts. A ring is untrusted, so the bot's own check is not enough.
enum MetricName {
    /// Returns whether a metric's name is `[a-zA-Z_:][a-zA-Z0-9_:]*`.
    static func isValid(_ name: String) -> Bool {
        isWord(name) { $0 == UInt8(ascii: ":") }
    }

    /// Returns whether a label's name is `[a-zA-Z_][a-zA-Z0-9_]*`.
    static func isValidLabel(_ name: String) -> Bool {
        isWord(name) { _ in false }
    }

    /// Inserts a word before the unit's suffix, because a unit comes last: `x_seconds` becomes `x_window_seconds`.
    /// Appends it if there is no unit.
    static func insert(_ word: String, into name: String, unit: MetricUnit) -> String {
        let suffix = "_" + unit.rawValue
        guard unit != .none, name.hasSuffix(suffix) else { return "\(name)_\(word)" }
        return "\(name.dropLast(suffix.count))_\(word)\(suffix)"
    }

    private static func isWord(_ name: String, orElse isAllowed: (UInt8) -> Bool) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: isAllowed(byte)
            }
        }
    }
}
