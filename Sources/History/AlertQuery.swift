internal import Exposition
internal import JSON
package import Series

/// A query for the history of alerts.
package struct AlertQuery: Equatable, Sendable {
    /// Nil is any.
    package var alert: String?
    package var bot: String?
    /// Selects alerts that fired at any moment of this range.
    package var unixNanoseconds: Range<Int64>
    /// The newest episodes are shown, at most this many.
    package var limit: Int

    package static let limits = 1...10_000

    /// Returns whether the arguments of `/stats/history` ask for alerts.
    package static func isAsked(_ arguments: [(name: String, value: String)]) -> Bool {
        arguments.contains { $0.name == "alerts" }
    }

    /// - Parameters:
    ///   - arguments: `alerts` (one name, or empty for all), `bot`, `from` (default: the whole history), `to` (default:
    ///     no end), `limit` (default 1000).
    ///   - now: seconds since the Unix epoch.
    package init(arguments: [(name: String, value: String)], now: Double) throws(HistoryQueryError) {
        let names = ["alerts", "bot", "from", "to", "limit"]
        var texts: [String: String] = [:]
        for (name, value) in arguments {
            guard names.contains(name) else {
                throw HistoryQueryError(
                    "unknown parameter '\(name)': for alerts, expected alerts, bot, from, to or limit")
            }
            guard texts.updateValue(value, forKey: name) == nil else {
                throw HistoryQueryError("\(name) is given twice")
            }
        }
        alert = texts["alerts"].flatMap { $0.isEmpty ? nil : $0 }
        bot = texts["bot"]
        let from = try HistoryRequest.time("from", texts["from"] ?? "0", now)
        // Without an end, the answer includes alerts that begin while it is made.
        let to =
            try texts["to"].map { text throws(HistoryQueryError) in try HistoryRequest.time("to", text, now) }
            ?? .infinity
        guard from < to else { throw HistoryQueryError("from is not before to: expected an earlier time for from") }
        unixNanoseconds = Self.nanoseconds(from)..<Self.nanoseconds(to)
        guard let limit = Int(texts["limit"] ?? "1000"), Self.limits.contains(limit) else {
            throw HistoryQueryError(
                "limit is '\(texts["limit"] ?? "")': expected a number from \(Self.limits.lowerBound) to \(Self.limits.upperBound)"
            )
        }
        self.limit = limit
    }

    /// A time that does not fit, such as that of `-9999999999w`, is before or after every alert.
    private static func nanoseconds(_ seconds: Double) -> Int64 {
        seconds < -9e9 ? .min : seconds < 9e9 ? Int64(seconds * 1e9) : .max
    }

    private func concerns(_ episode: AlertEpisode) -> Bool {
        (alert == nil || alert == episode.alert) && (bot == nil || bot == episode.bot)
            && episode.beganUnixNanoseconds < unixNanoseconds.upperBound
            && episode.endedUnixNanoseconds ?? .max >= unixNanoseconds.lowerBound
    }

    /// Returns the answer as JSON, newest first.
    ///
    /// - Parameters:
    ///   - reader: Read at one moment.
    ///   - pending: The last snapshot, and the number of its last change that is in the file; nil if nothing is
    ///     pending.
    package func answer(
        _ reader: HistoryReader, pending: (snapshot: Snapshot, written: UInt64)?
    ) throws(HistoryFailure) -> [UInt8] {
        var (episodes, count) = try reader.alerts(self)
        if let pending {
            let open = try reader.openAlerts()
            for change in AlertEpisode.changes(to: open, by: pending.snapshot, after: pending.written) {
                // The file has the episode as it was before the change, also beyond the limit of what was read.
                let wasCounted = open.first { $0.isSame(as: change) }.map(concerns) ?? false
                episodes.removeAll { $0.isSame(as: change) }
                if wasCounted { count -= 1 }
                // An episode with a pending end may have ended before the range.
                guard concerns(change) else { continue }
                count += 1
                episodes.append(change)
            }
            episodes.sort {
                ($1.beganUnixNanoseconds, $0.alert, $0.bot) < ($0.beganUnixNanoseconds, $1.alert, $1.bot)
            }
        }
        return json(Array(episodes.prefix(limit)), leftOut: max(0, count - limit))
    }

    private func json(_ episodes: [AlertEpisode], leftOut: Int) -> [UInt8] {
        var json = JSONWriter(capacity: 64 + 256 * episodes.count)
        json.object {
            $0.key("alerts")
            $0.array { for episode in episodes { $0.episode(episode) } }
            $0.key("left_out")
            $0.integer(leftOut)
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func episode(_ episode: AlertEpisode) {
        object {
            for (name, text) in [
                ("id", episode.id), ("alert", episode.alert), ("bot", episode.bot), ("severity", episode.severity),
                ("condition", episode.condition),
            ] {
                $0.key(name)
                $0.string(text)
            }
            $0.number("value", episode.value)
            $0.key("began")
            $0.seconds(nanoseconds: episode.beganUnixNanoseconds)
            $0.key("ended")
            if let ended = episode.endedUnixNanoseconds { $0.seconds(nanoseconds: ended) } else { $0.null() }
            $0.key("reason")
            $0.string(episode.reason)
        }
    }
}
