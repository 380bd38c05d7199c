package import Series

/// An operator's order to silence alerts: which alerts of which bots, for how long, and why.
package struct SilenceRequest: Equatable, Sendable {
    package var alert: Glob
    package var bot: Glob
    package var nanoseconds: Int64
    package var reason: String

    /// The accepted lengths of a silence, in nanoseconds.
    package static let lengths: ClosedRange<Int64> = 60_000_000_000...(30 * 86_400_000_000_000)
    package static let reasonBytes = 500
    package static let patternBytes = 200

    package init(alert: Glob, bot: Glob = .all, nanoseconds: Int64, reason: String = "") {
        self.alert = alert
        self.bot = bot
        self.nanoseconds = nanoseconds
        self.reason = reason
    }
}

/// A silence in force. It is stored in this form across restarts.
package struct Silence: Equatable, Sendable {
    package var number: UInt64
    package var alert: Glob
    package var bot: Glob
    package var reason: String
    /// The time at which it began, by the wall clock at that time.
    package var sinceUnixNanoseconds: Int64
    /// The time at which it ends, on the evaluator's clock. Steps of the wall clock neither end nor prolong it.
    package var endNanoseconds: Int64

    package init(
        number: UInt64, alert: Glob, bot: Glob, reason: String, sinceUnixNanoseconds: Int64, endNanoseconds: Int64
    ) {
        self.number = number
        self.alert = alert
        self.bot = bot
        self.reason = reason
        self.sinceUnixNanoseconds = sinceUnixNanoseconds
        self.endNanoseconds = endNanoseconds
    }

    /// Returns the silence as exports show it.
    ///
    /// - Parameter now: On the evaluator's clock.
    package func snapshot(nowNanoseconds now: Int64, unixNanoseconds: Int64) -> SilenceSnapshot {
        SilenceSnapshot(
            number: number, alert: alert.description, bot: bot.description, reason: reason,
            sinceUnixNanoseconds: sinceUnixNanoseconds, untilUnixNanoseconds: unixNanoseconds &+ (endNanoseconds &- now)
        )
    }
}

/// The silences in force. Pure: the caller passes the time, on the evaluator's clock.
package struct SilenceBook: Sendable {
    package private(set) var silences: [Silence] = []
    /// The number of the newest silence. No number is assigned twice while the collector runs.
    private var last: UInt64 = 0

    /// The greatest number of silences in force at a time.
    package static let limit = 100

    package init() {}

    /// Adds a silence.
    ///
    /// - Returns: The silence; nil if ``limit`` is reached.
    package mutating func add(_ order: SilenceRequest, nowNanoseconds now: Int64, unixNanoseconds: Int64) -> Silence? {
        guard silences.count < Self.limit else { return nil }
        last += 1
        let silence = Silence(
            number: last, alert: order.alert, bot: order.bot, reason: order.reason,
            sinceUnixNanoseconds: unixNanoseconds, endNanoseconds: now + order.nanoseconds)
        silences.append(silence)
        return silence
    }

    /// Restores the silences of an earlier collector.
    package mutating func restore(_ saved: [Silence]) {
        silences = Array(saved.sorted { $0.number < $1.number }.prefix(Self.limit))
        last = silences.last?.number ?? 0
    }

    /// Removes a silence.
    ///
    /// - Returns: The removed silence; nil if none has the number.
    package mutating func remove(_ number: UInt64) -> Silence? {
        silences.firstIndex { $0.number == number }.map { silences.remove(at: $0) }
    }

    /// Removes the silences whose time has ended.
    ///
    /// - Returns: The removed silences.
    package mutating func expire(nowNanoseconds now: Int64) -> [Silence] {
        let over = silences.filter { $0.endNanoseconds <= now }
        if !over.isEmpty { silences.removeAll { $0.endNanoseconds <= now } }
        return over
    }

    /// Returns the alerts, each marked with the time until which it is silenced: the latest end of the silences that
    /// cover it.
    package func marked(
        _ alerts: [AlertSnapshot], nowNanoseconds now: Int64, unixNanoseconds: Int64
    ) -> [AlertSnapshot] {
        guard !silences.isEmpty else { return alerts }
        var ofBot: [String: [Silence]] = [:]
        return alerts.map { alert in
            let candidates = ofBot[alert.bot] ?? silences.filter { $0.bot.matches(alert.bot) }
            ofBot[alert.bot] = candidates
            let end = candidates.filter { $0.alert.matches(alert.alert) }.map(\.endNanoseconds).max()
            var marked = alert
            marked.silencedUntilUnixNanoseconds = end.map { unixNanoseconds &+ ($0 &- now) }
            return marked
        }
    }
}
