package import Series

/// The reason why a query cannot be answered, in one line that says what was expected.
package struct HistoryQueryError: Error, Equatable, CustomStringConvertible {
    package let description: String
    /// Whether a valid query names something that does not exist.
    package let isAboutNothing: Bool

    package init(_ description: String, isAboutNothing: Bool = false) {
        self.description = description
        self.isAboutNothing = isAboutNothing
    }
}

/// A query in the form that `/stats/history` receives.
package enum HistoryRequest: Equatable, Sendable {
    case list(HistoryListQuery)
    case metric(HistoryQuery)

    /// - Parameters:
    ///   - arguments: `metric`, `bot`, `from` (default -1h), `to` (default now), `step` (default a sixtieth of the
    ///     range, at least a minute), `label.NAME`, `merge` (0 or 1), `distribution` (0 or 1). With only `bot` and
    ///     `label.NAME` it lists the series.
    ///   - now: seconds since the Unix epoch.
    package init(arguments: [(name: String, value: String)], now: Double) throws(HistoryQueryError) {
        var texts: [String: String] = [:]
        var labels: [Label] = []
        for (name, value) in arguments {
            if name.hasPrefix("label."), name.utf8.count > 6 {
                labels.append(Label(String(name.dropFirst(6)), value))
            } else if ["metric", "bot", "from", "to", "step", "merge", "distribution"].contains(name) {
                guard texts.updateValue(value, forKey: name) == nil else {
                    throw HistoryQueryError("\(name) is given twice")
                }
            } else {
                throw HistoryQueryError(
                    "unknown parameter '\(name)': expected metric, bot, from, to, step, merge, distribution or label.NAME"
                )
            }
        }
        if texts.keys.allSatisfy({ $0 == "bot" }) {
            self = .list(HistoryListQuery(bot: texts["bot"], labels: labels))
            return
        }
        guard let metric = texts["metric"], !metric.isEmpty else {
            throw HistoryQueryError("metric is missing: expected the name of a metric, such as metric=order_seconds")
        }
        guard let merge = ["0": false, "false": false, "1": true, "true": true][texts["merge"] ?? "0"] else {
            throw HistoryQueryError("merge is '\(texts["merge"] ?? "")': expected 0 or 1")
        }
        guard let distribution = ["0": false, "1": true][texts["distribution"] ?? "0"] else {
            throw HistoryQueryError("distribution is '\(texts["distribution"] ?? "")': expected 0 or 1")
        }
        let from = try Self.time("from", texts["from"] ?? "-1h", now)
        let to = try Self.time("to", texts["to"] ?? "now", now)
        var query = try HistoryQuery(
            metric: metric, bot: texts["bot"], labels: labels, from: from, to: to, step: texts["step"], isMerged: merge)
        guard !distribution || query.stepCount <= HistoryQuery.mostDistributionSteps else {
            throw HistoryQueryError(
                "\(query.stepCount) steps are too many with distribution=1: expected "
                    + "\(HistoryQuery.mostDistributionSteps) at most; choose a longer step")
        }
        query.hasDistribution = distribution
        self = .metric(query)
    }

    static func time(_ name: String, _ text: String, _ now: Double) throws(HistoryQueryError) -> Double {
        guard let seconds = HistoryTime.seconds(text, now: now) else {
            throw HistoryQueryError("\(name) is '\(text)': expected \(HistoryTime.expectation)")
        }
        return seconds
    }
}

extension HistoryQuery {
    /// - Parameters:
    ///   - from: seconds since the Unix epoch; the range begins with the minute of that time.
    ///   - to: the range ends with the minute of that time.
    ///   - step: a duration of whole minutes; nil is a sixtieth of the range, at least a minute.
    package init(
        metric: String, bot: String?, labels: [Label], from: Double, to: Double, step: String?, isMerged: Bool
    ) throws(HistoryQueryError) {
        let minutes = try Self.minutes(from: from, to: to)
        self.init(
            metric: metric, bot: bot, labels: labels, minutes: minutes, stepMinutes: max(1, Int64(minutes.count) / 60),
            isMerged: isMerged)
        if let step { stepMinutes = try Self.minutes(ofStep: step) }
        guard stepCount <= Int(Self.mostSteps) else {
            throw HistoryQueryError(
                "\(stepCount) steps are too many: expected \(Self.mostSteps) at most; choose a longer step")
        }
    }

    /// Returns the minutes that a range touches.
    package static func minutes(from: Double, to: Double) throws(HistoryQueryError) -> Range<Int64> {
        // This form refuses a NaN too.
        guard from < to else { throw HistoryQueryError("from is not before to: expected an earlier time for from") }
        guard from >= 0, to <= Self.latestSeconds else {
            throw HistoryQueryError(
                "the range lies outside the years 1970 to 9999: expected times that a clock may have shown")
        }
        let first = Int64((from / 60).rounded(.down))
        let end = Int64((to / 60).rounded(.up))
        guard end - first <= mostMinutes else {
            throw HistoryQueryError("the range is too long: expected \(mostMinutes / 1440) days at most")
        }
        return first..<end
    }

    /// The end of the year 9999, in seconds since the Unix epoch.
    private static let latestSeconds = 253_402_300_800.0

    package static let stepExpectation = "whole minutes, such as 60s, 5m or 1h"

    /// Returns the minutes of a step.
    ///
    /// - Throws: A refusal of an invalid step.
    package static func minutes(ofStep text: String) throws(HistoryQueryError) -> Int64 {
        guard let seconds = HistoryTime.durationSeconds(text), seconds >= 60,
            seconds.truncatingRemainder(dividingBy: 60) == 0
        else { throw HistoryQueryError("step is '\(text)': expected \(stepExpectation)") }
        guard seconds <= Double(mostMinutes * 60) else {
            throw HistoryQueryError(
                "step is '\(text)': expected \(mostMinutes / 1440) days at most, and no more than the range")
        }
        return Int64(seconds / 60)
    }
}
