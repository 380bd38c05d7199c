package import Platform
package import Series

/// One bot, without its series: its labels, and the counts of its lanes' earlier rings.
package struct BotState: Equatable, Sendable {
    package var name: String
    package var labels: [Label]
    package var retired: [RetiredRings]
    /// The form in which its series are shown.
    package var view: BotViewState

    package init(name: String, labels: [Label], retired: [RetiredRings], view: BotViewState = BotViewState()) {
        self.name = name
        self.labels = labels
        self.retired = retired
        self.view = view
    }
}

/// The counts of all rings of one lane that no longer exist.
package struct RetiredRings: Equatable, Sendable {
    package var lane: String
    package var drained: UInt64 = 0
    package var lost = LossCounts()
    /// On CLOCK_MONOTONIC of the boot in which it was stored.
    package var lastRecordTime: MonotonicTime?
    package var pid: Int32 = 0
    /// Whether the last of these rings was closed; nil if that is unknown.
    package var wasClosed: Bool?

    package init(lane: String) { self.lane = lane }
}

/// The state of a bot's view in a checkpoint: how the exports show its series.
package struct BotViewState: Equatable, Sendable {
    /// The fingerprint of the last rules; 0 if there were never any.
    package var fingerprint: UInt64 = 0
    /// The time since which these rules apply, in seconds since the Unix epoch; 0 if no others ever did.
    package var sinceUnixSeconds: Double = 0
    /// The number of series that were ever refused, by metric.
    package var refused: [String: UInt64] = [:]
    /// The conversions that were ever applied, by the name of the metric and by factor, each with the time since which
    /// it applies, in seconds since the Unix epoch; 0 if no other ever did.
    package var scales: [String: [Double: Double]] = [:]

    package init() {}
}

/// The time that a bot has been gone, in a checkpoint.
package struct GoneState: Equatable, Sendable {
    package var bot: String
    /// On CLOCK_MONOTONIC of the boot in which it was stored.
    package var since: MonotonicTime
    /// The time that it had been gone before that, over earlier boots.
    package var before: Int64
    /// The whole hours that it has been gone in all. This is what remains known after a reboot.
    package var wholeHours: Int64

    package init(bot: String, since: MonotonicTime, before: Int64, wholeHours: Int64) {
        self.bot = bot
        self.since = since
        self.before = before
        self.wholeHours = wholeHours
    }
}
