package import Series

/// All series of one exported name: what each text or binary format of Prometheus' family writes in its own way.
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
    /// `le` and `quantile` are added where the format wants them.
    package var labelSet: ExportedLabels
    package var value: Value
    /// Since when a total counts, in seconds since the Unix epoch; nil where that is unknown, and of what is no total.
    package var createdUnixSeconds: Double?
    /// Of a gauge: whether it is an up-down counter's total, which may be summed with others.
    package var isUpDownCounter = false

    package var labels: [Label] { labelSet.all }

    package enum Value: Sendable {
        case number(Number)
        case histogram(HistogramSnapshot)
        /// Quantiles; count and sum are nil for a sliding window, where they would go up and down.
        case quantiles([QuantileValue], total: HistogramSummary?)
    }
}

/// A registered series that the exposition leaves out, and why.
package struct LeftOutSeries: Hashable, Sendable, CustomStringConvertible {
    package enum Reason: String, Error {
        case invalidName = "a metric or label name that Prometheus does not allow"
        case nameTaken = "a name that stands for another kind of metric"
        case duplicate = "a name and labels that another series has already"
    }

    package var bot: String
    /// The name that it would have; it may not be the registered one.
    package var name: String
    /// Those of the registered series, and its lane.
    package var labels: [Label]
    package var reason: Reason
    /// The registered name, where the series is one that comes with it, such as `x_max` with the gauge `x`.
    package var registeredName: String

    init(bot: String, _ metric: MetricSnapshot, name: String? = nil, reason: Reason) {
        self.bot = bot
        self.name = name ?? metric.name
        labels = metric.labels + (metric.lane.isEmpty ? [] : [Label("lane", metric.lane)])
        self.reason = reason
        registeredName = metric.name
    }

    package var description: String {
        let pairs = labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
        let series = name + (pairs.isEmpty ? "" : "{\(pairs)}")
        let origin = name == registeredName ? "" : ", which comes with \(registeredName),"
        return "\(series) of bot \(bot)\(origin) is left out of /metrics: it has \(reason.rawValue); "
            + "register \(registeredName) under another name"
    }
}

/// Names that Prometheus accepts; a ring is a foreign file, so a bot's own check is not enough.
enum MetricName {
    /// `[a-zA-Z_:][a-zA-Z0-9_:]*`
    static func isValid(_ name: String) -> Bool {
        isWord(name) { $0 == UInt8(ascii: ":") }
    }

    /// `[a-zA-Z_][a-zA-Z0-9_]*`
    static func isValidLabel(_ name: String) -> Bool {
        isWord(name) { _ in false }
    }

    /// Puts a word before the unit's suffix, since a unit stands last: `x_seconds` to `x_window_seconds`; at the end
    /// where there is no unit.
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
