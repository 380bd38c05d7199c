package import Series

/// Why a query cannot be answered: what was expected, in one line.
package struct HistoryQueryError: Error, Equatable, CustomStringConvertible {
    package let description: String
    /// Whether it is a question about what there is not, rather than one that cannot be put.
    package let isAboutNothing: Bool

    package init(_ description: String, isAboutNothing: Bool = false) {
        self.description = description
        self.isAboutNothing = isAboutNothing
    }
}

extension HistoryQuery {
    /// Reads a query as `/stats/history` gets it.
    ///
    /// - Parameters:
    ///   - arguments: `metric` (required), `bot`, `from` (default -1h), `to` (default now), `step` (default a sixtieth of the range,
    ///     a minute at least), `label.NAME`, `merge` (0 or 1).
    ///   - now: seconds since the Unix epoch.
    package init(arguments: [(name: String, value: String)], now: Double) throws(HistoryQueryError) {
        var texts: [String: String] = [:]
        var labels: [Label] = []
        for (name, value) in arguments {
            if name.hasPrefix("label."), name.utf8.count > 6 {
                labels.append(Label(String(name.dropFirst(6)), value))
            } else if ["metric", "bot", "from", "to", "step", "merge"].contains(name) {
                guard texts.updateValue(value, forKey: name) == nil else {
                    throw HistoryQueryError("\(name) is given twice")
                }
            } else {
                throw HistoryQueryError(
                    "unknown parameter '\(name)': expected metric, bot, from, to, step, merge or label.NAME")
            }
        }
        guard let metric = texts["metric"], !metric.isEmpty else {
            throw HistoryQueryError("metric is missing: expected the name of a metric, such as metric=order_seconds")
        }
        guard let merge = ["0": false, "false": false, "1": true, "true": true][texts["merge"] ?? "0"] else {
            throw HistoryQueryError("merge is '\(texts["merge"] ?? "")': expected 0 or 1")
        }
        let from = try Self.time("from", texts["from"] ?? "-1h", now)
        let to = try Self.time("to", texts["to"] ?? "now", now)
        try self.init(
            metric: metric, bot: texts["bot"], labels: labels, from: from, to: to, step: texts["step"], isMerged: merge)
    }

    /// - Parameters:
    ///   - from: seconds since the Unix epoch; the range begins with the minute that it lies in.
    ///   - to: the range ends with the minute that it lies in.
    ///   - step: a duration of whole minutes; nil is a sixtieth of the range, a minute at least.
    package init(
        metric: String, bot: String?, labels: [Label], from: Double, to: Double, step: String?, isMerged: Bool
    ) throws(HistoryQueryError) {
        let minutes = try Self.minutes(from: from, to: to)
        self.init(
            metric: metric, bot: bot, labels: labels, minutes: minutes, stepMinutes: max(1, Int64(minutes.count) / 60),
            isMerged: isMerged)
        if let step {
            guard let seconds = HistoryTime.durationSeconds(step), seconds >= 60,
                seconds.truncatingRemainder(dividingBy: 60) == 0
            else { throw HistoryQueryError("step is '\(step)': expected whole minutes, such as 60s, 5m or 1h") }
            guard seconds <= Double(Self.mostMinutes * 60) else {
                throw HistoryQueryError(
                    "step is '\(step)': expected \(Self.mostMinutes / 1440) days at most, and no more than the range")
            }
            stepMinutes = Int64(seconds / 60)
        }
        guard stepCount <= Int(Self.mostSteps) else {
            throw HistoryQueryError(
                "\(stepCount) steps are too many: expected \(Self.mostSteps) at most; choose a longer step")
        }
    }

    /// The minutes that a range touches.
    package static func minutes(from: Double, to: Double) throws(HistoryQueryError) -> Range<Int64> {
        // Written so that a NaN is refused too.
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

    private static func time(_ name: String, _ text: String, _ now: Double) throws(HistoryQueryError) -> Double {
        guard let seconds = HistoryTime.seconds(text, now: now) else {
            throw HistoryQueryError("\(name) is '\(text)': expected \(HistoryTime.expectation)")
        }
        return seconds
    }
}
