import Series

/// Series compared with their usual ranges.
extension FamilyBuilder {
    mutating func addLevels(_ bots: [BotSnapshot]) {
        let help =
            "Whether a histogram's quantile or rate, a counter's rate or a gauge's value has left the range that is usual at this time of day: 1 high, -1 low, 0 usual; none while that is not known. The metric's own labels begin with label_."
        addAll(
            "ringside_unusual_level", .gauge, help, bots.flatMap { bot in bot.levels.compactMap { sample($0, bot) } })
    }

    private func sample(_ level: LevelSnapshot, _ bot: BotSnapshot) -> Sample? {
        guard let sign = level.sign else { return nil }
        let own =
            exportedLabels(bot: bot.name, lane: level.lane) + [
                Label("metric", level.metric), Label("statistic", level.statistic.name),
            ]
        return Sample(.signed(sign), own + level.labels.map { Label("label_" + $0.name, $0.value) })
    }
}
