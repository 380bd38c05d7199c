/// The histograms that `ringside top` shows, in the requested order.
struct TopRows {
    let choice: TopChoice
    /// "" without `--by`.
    let label: String

    /// Returns the histograms with a record in the window.
    ///
    /// - Throws: ``NoSuchName`` if no histogram has the label of `--by`.
    func rows(
        _ bots: [CollectorView.Bot], window: TopWindow, sort: RankingFigure?
    ) throws(NoSuchName) -> [(row: HistogramRow, window: CollectorView.Window)] {
        var rows: [HistogramRow] = []
        for bot in bots {
            for metric in bot.metrics where choice.includes(metric) {
                guard let figures = metric.windows?[window.rawValue] else { continue }
                rows.append(HistogramRow(bot: bot.bot, metric: metric, figures: figures))
            }
        }
        if !label.isEmpty {
            rows = try rows.ranked(by: sort ?? .p99, label: label, place: "\(choice.place)'s bots")
        } else if let figure = sort {
            rows = rows.ranked(by: figure)
        }
        return rows.compactMap { row in
            guard let window = row.figures as? CollectorView.Window, window.count ?? 0 > 0 else { return nil }
            return (row, window)
        }
    }
}
