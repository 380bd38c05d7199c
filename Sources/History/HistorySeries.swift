package import Series

/// What tells one series of the history from another, by the bytes of its names and labels.
///
/// The bot's constant labels belong to it: a bot that comes back with another `version` begins another series, so that
/// two releases can be told apart, and compared.
package struct HistorySeriesKey: Hashable, Sendable {
    /// "" for what the collector notes of itself.
    package var bot: String
    package var botLabels: [Label]
    package var name: String
    package var labels: [Label]
    /// Only a gauge has one; "" elsewhere.
    package var lane: String
    package var kind: MetricKind
    package var unit: MetricUnit

    package init(
        bot: String, botLabels: [Label] = [], name: String, labels: [Label] = [], lane: String = "", kind: MetricKind,
        unit: MetricUnit = .none
    ) {
        self.bot = bot
        self.botLabels = botLabels
        self.name = name
        self.labels = labels
        self.lane = lane
        self.kind = kind
        self.unit = unit
    }

    package static func == (a: HistorySeriesKey, b: HistorySeriesKey) -> Bool {
        a.name.hasSameBytes(as: b.name) && a.labels == b.labels && a.bot == b.bot && a.lane == b.lane
            && a.kind == b.kind && a.unit == b.unit && a.botLabels == b.botLabels
    }

    package func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        hasher.combine(bot)
        hasher.combine(lane)
        hasher.combine(kind)
        hasher.combine(unit)
        hasher.combine(labels)
        hasher.combine(botLabels)
    }

    /// Whether it has a label of that name and value, by their bytes.
    package func has(_ label: Label) -> Bool { self.label(label.name)?.hasSameBytes(as: label.value) ?? false }

    /// All labels that a reader may ask for, the metric's own first: a bot's constant label that has the name of one of them
    /// is hidden by it.
    package func label(_ name: String) -> String? {
        (labels.first { $0.name == name } ?? botLabels.first { $0.name == name })?.value
    }

    /// The labels as an export shows them, sorted, without `bot` and `lane`.
    package var allLabels: [Label] {
        let own = Set(labels.map(\.name))
        return (labels + botLabels.filter { !own.contains($0.name) }).sorted()
    }
}

/// What the history notes beside the bots' own series, so that no number is shown without what was lost.
package enum NotedSeries {
    /// How long the collector watched for a minute's values, in seconds of CLOCK_MONOTONIC: 60 for a minute that it saw whole,
    /// more where the minute has values of another one too.
    package static let watched = HistorySeriesKey(
        bot: "", name: "ringside_history_watched_seconds_total", kind: .counter, unit: .seconds)

    /// For how many seconds the values of this minute stand in another one, or those of another one here.
    package static let displaced = HistorySeriesKey(
        bot: "", name: "ringside_history_displaced_seconds_total", kind: .counter, unit: .seconds)

    package static let lostName = "ringside_lost_records_total"
    package static let incompleteName = "ringside_history_incomplete_minute"

    /// Whether a metric of this name says of a bot what was lost.
    static func isOfBot(_ name: String) -> Bool { name == lostName || name == incompleteName }

    /// Records that a bot's rings lost, over its lanes.
    package static func lost(bot: String, reason: LossReason) -> HistorySeriesKey {
        HistorySeriesKey(bot: bot, name: lostName, labels: [Label("reason", reason.rawValue)], kind: .counter)
    }

    /// 1 in minutes at whose end the bot's windows lacked something: a loss, or emission that was turned off.
    package static func incomplete(bot: String) -> HistorySeriesKey {
        HistorySeriesKey(bot: bot, name: incompleteName, kind: .gauge)
    }
}
