import Series

/// Latencies and rates against their usual levels.
extension FamilyBuilder {
    mutating func addLevels(_ bots: [BotSnapshot]) {
        let help =
            "Whether a histogram's p99 or rate has left its usual level: 1 high, -1 low, 0 usual; none until that is known. The metric's own labels begin with label_."
        addAll("ringside_unusual_level", .gauge, help, bots.flatMap { bot in bot.metrics.flatMap { samples($0, bot) } })
    }

    private func samples(_ metric: MetricSnapshot, _ bot: BotSnapshot) -> [Sample] {
        guard case .histogram(let histogram) = metric.reading else { return [] }
        return histogram.levels.map { level in
            let value: Int64 =
                switch level.state {
                case .usual: 0
                case .high: 1
                case .low: -1
                }
            let own = [
                Label("bot", bot.name), Label("metric", metric.name), Label("statistic", level.statistic.rawValue),
            ]
            return Sample(.signed(value), own + metric.labels.map { Label("label_" + $0.name, $0.value) })
        }
    }
}
