internal import Configuration
internal import RingReader
internal import Rules
internal import Series

/// What the configuration changes while the collector runs.
extension RingRegistry {
    /// Holds every bot, those to come included, to these objectives, and gives its histograms the edges that these rules
    /// choose.
    func hold(to objectives: [ObjectiveDefinition], metricRules: [MetricRule]) {
        self.objectives = objectives
        self.metricRules = metricRules
        for bot in bots.values { hold(bot.series) }
        for ring in rings { ring.renewWatches() }
    }

    /// The exports show every bot, those to come included, by these rules.
    func show(by rules: MetricRules, unixNanoseconds: Int64) {
        shown = (rules, Double(unixNanoseconds) * 1e-9)
        for bot in bots.values { bot.show(by: rules, nowUnixSeconds: shown.sinceUnixSeconds) }
    }

    func hold(_ bot: BotSeries) {
        bot.hold(to: objectives.filter { $0.bot.matches(bot.name) }.compactMap(\.rule)) {
            [metricRules, name = bot.name] in metricRules.edges(of: $0, labels: $1, bot: name)
        }
    }

    /// Takes and leaves by another selection from here on. A ring that is left keeps its place and its totals: taken again, it
    /// is read on from there, and what was overwritten meanwhile counts as lapped.
    func select(_ selection: RingSelection) {
        filter.selection = selection
        for ring in rings where ring.isLaidAside == filter.takes(ring.segment.name) {
            ring.isLaidAside.toggle()
            if ring.isLaidAside {
                ring.lane.isUp = false
                ring.lane.noteUnread()
            }
            logger.info(
                ring.isLaidAside ? "ring laid aside" : "ring taken up again", [("ring", "\(ring.segment.name)")])
        }
    }
}
