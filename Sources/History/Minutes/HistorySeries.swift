package import Series

/// The identity of a series in the history, by the bytes of its names and labels.
///
/// It includes the bot's constant labels: a bot that comes back with another `version` begins another series, so that
/// two releases can be told apart and compared.
package struct HistorySeriesKey: Hashable, Sendable {
    /// "" for the collector's own notes.
    package var bot: String
    package var botLabels: [Label]
    package var name: String
    package var labels: [Label]
    /// Only gauges have one; "" otherwise.
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

    /// Returns whether the series has a label with that name and value, compared by bytes.
    package func has(_ label: Label) -> Bool { self.label(label.name)?.hasSameBytes(as: label.value) ?? false }

    /// Returns the value of a label. A label of the metric hides a bot's constant label of the same name.
    package func label(_ name: String) -> String? {
        (labels.first { $0.name == name } ?? botLabels.first { $0.name == name })?.value
    }

    /// The labels as an export shows them, sorted, without `bot` and `lane`.
    package var allLabels: [Label] {
        let own = Set(labels.map(\.name))
        return (labels + botLabels.filter { !own.contains($0.name) }).sorted()
    }
}

/// Series that the history records beside the bots' own, such as losses, so that every number is shown with its losses.
package enum BuiltInSeries {
    /// Watched time of a minute, in seconds of CLOCK_MONOTONIC: 60 for a complete minute, more if it also has values of
    /// another one.
    package static let watched = HistorySeriesKey(
        bot: "", name: "ringside_history_watched_seconds_total", kind: .counter, unit: .seconds)

    /// Seconds whose values are in the wrong minute: this minute's elsewhere, or another's here.
    package static let displaced = HistorySeriesKey(
        bot: "", name: "ringside_history_displaced_seconds_total", kind: .counter, unit: .seconds)

    /// Named as in `/metrics`.
    package static let drainCycle = HistorySeriesKey(
        bot: "", name: "ringside_drain_cycle_seconds", kind: .histogram, unit: .seconds)
    package static let ownMemory = HistorySeriesKey(
        bot: "", name: "process_resident_memory_bytes", kind: .gauge, unit: .bytes)

    package static func records(bot: String) -> HistorySeriesKey {
        HistorySeriesKey(bot: bot, name: "ringside_records_total", kind: .counter)
    }

    package static func processorTime(bot: String) -> HistorySeriesKey {
        HistorySeriesKey(bot: bot, name: "ringside_bot_cpu_seconds_total", kind: .counter, unit: .seconds)
    }

    package static func memory(bot: String) -> HistorySeriesKey {
        HistorySeriesKey(bot: bot, name: "ringside_bot_resident_memory_bytes", kind: .gauge, unit: .bytes)
    }

    static let complianceWindow = "1h"

    package static func compliance(bot: String, objective: String) -> HistorySeriesKey {
        HistorySeriesKey(
            bot: bot, name: "ringside_slo_compliance_ratio",
            labels: [Label("objective", objective), Label("window", complianceWindow)], kind: .gauge, unit: .ratio)
    }

    package static let lostName = "ringside_lost_records_total"
    package static let incompleteName = "ringside_history_incomplete_minute"

    /// Returns whether a metric of this name records a bot's losses.
    static func isOfBot(_ name: String) -> Bool { name == lostName || name == incompleteName }

    /// Returns the series of the records that a bot's rings lost, over all lanes.
    package static func lost(bot: String, reason: LossReason) -> HistorySeriesKey {
        HistorySeriesKey(bot: bot, name: lostName, labels: [Label("reason", reason.rawValue)], kind: .counter)
    }

    /// Returns the series that is 1 in minutes at whose end the bot's windows lacked something: because of a loss, or
    /// because emission was turned off.
    package static func incomplete(bot: String) -> HistorySeriesKey {
        HistorySeriesKey(bot: bot, name: incompleteName, kind: .gauge)
    }
}
