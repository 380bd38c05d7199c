import Series

/// A series of the collector's account of a bot, for alerts. Either /metrics does not show it, or /metrics shows it for
/// each lane and reason while an alert needs one number for the bot.
package struct BotAccountSeries: Sendable {
    package let name: String
    package let facts: SeriesFacts
    /// A description for people.
    package let help: String
    let read: @Sendable (BotSnapshot) -> [AlertSeries]

    /// The names with a series for each lane or window, as on /metrics.
    private static let labelled: Set<String> = [
        AlertDefinition.laneDown, AlertDefinition.laneSilent, AlertDefinition.windowIncomplete,
        AlertDefinition.drainLag,
    ]

    /// Whether a rule that asks for labels may use this series.
    var hasLabels: Bool { Self.labelled.contains(name) }

    package static let all: [BotAccountSeries] = [
        BotAccountSeries(
            name: AlertDefinition.lastRecordAge, facts: SeriesFacts(.gauge, range: SeriesFacts.positive),
            help: "Time since the last record of any lane but `pause`, of a bot that is alive."
        ) { bot in
            // Of several lanes, the last one that wrote counts, because a bot with an idle lane is not silent.
            let silence = bot.rings.filter { $0.isUp && $0.showsActivity }.compactMap(\.silence).min()
            return bot.isUp ? silence.map { [AlertSeries(value: $0)] } ?? [] : []
        },
        BotAccountSeries(
            name: AlertDefinition.lostRecords, facts: SeriesFacts(.counter),
            help: "Records lost of all lanes, for whatever reason but `before_attach`."
        ) { bot in
            [AlertSeries(.unsigned(bot.rings.reduce(0) { $0 &+ $1.lostRecords }))]
        },
        BotAccountSeries(
            name: AlertDefinition.processorTime, facts: SeriesFacts(.counter),
            help: "User and system CPU time of the bot's processes."
        ) { bot in bot.process?.totals.map { [AlertSeries(.real($0.cpuSeconds))] } ?? [] },
        BotAccountSeries(
            name: AlertDefinition.residentMemory, facts: SeriesFacts(.gauge, range: SeriesFacts.positive),
            help: "Resident memory of the bot's processes."
        ) { bot in
            guard let process = bot.process, process.processes > 0 else { return [] }
            return [AlertSeries(value: Double(process.residentBytes))]
        },
        BotAccountSeries(
            name: AlertDefinition.botDown, facts: .flag,
            help: "Whether no lane of the bot is up and one ended without closing its ring."
        ) { bot in
            switch bot.presence {
            case .down: [AlertSeries(value: 1)]
            case .up, .closed: [AlertSeries(value: 0)]
            case .unknown: []
            }
        },
        BotAccountSeries(
            name: AlertDefinition.botHung, facts: .flag,
            help: "Whether the bot's process lives and none of its lanes has moved for much longer than it ever pauses."
        ) { bot in bot.presence == .up ? [AlertSeries(value: bot.isHung ? 1 : 0)] : [] },
        BotAccountSeries(
            name: AlertDefinition.laneDown, facts: .flag,
            help: "Of each lane, whether its owner is gone and did not close it while other lanes are up."
        ) { bot in bot.presence == .up ? bot.lanes { $0.presence == .down } : [] },
        BotAccountSeries(
            name: AlertDefinition.laneSilent, facts: .flag,
            help: "Of each lane, whether it has not moved for much longer than it ever pauses while other lanes move."
        ) { bot in
            guard bot.presence == .up, !bot.isHung else { return [] }
            return bot.lanes { $0.showsActivity && $0.isOverdue(atLeast: 5) }
        },
        BotAccountSeries(
            name: AlertDefinition.windowIncomplete, facts: .flag,
            help: "Of each window, whether records were lost in it or metrics were off."
        ) { bot in
            bot.windows.map { AlertSeries(labels: [Label("window", $0.window.name)], value: $0.isComplete ? 0 : 1) }
        },
        BotAccountSeries(
            name: AlertDefinition.drainLag, facts: SeriesFacts(.gauge),
            help: "Of each lane, the longest time of the last minute from a record's time to its drain."
        ) { bot in
            bot.rings.compactMap { ring in
                ring.worstRecentLag.map { AlertSeries(labels: [Label("lane", ring.lane)], value: $0) }
            }
        },
        BotAccountSeries(
            name: AlertDefinition.lives, facts: SeriesFacts(.counter), help: "Lives that the bot's lanes have begun."
        ) { bot in [AlertSeries(.unsigned(bot.rings.reduce(UInt64(0)) { $0 &+ $1.lifeCount }))] },
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    package static func named(_ name: String) -> BotAccountSeries? { byName[name] }
}

extension BotSnapshot {
    /// Returns a series for each watched lane: 1 if the condition holds, otherwise 0.
    fileprivate func lanes(_ holds: (RingSnapshot) -> Bool) -> [AlertSeries] {
        rings.filter { $0.presence != .unknown }.map {
            AlertSeries(labels: [Label("lane", $0.lane)], value: holds($0) ? 1 : 0)
        }
    }
}
