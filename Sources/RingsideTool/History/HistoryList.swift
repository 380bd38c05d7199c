internal import Arguments
internal import FoundationEssentials
internal import History

/// The list of series in `/stats/history`, as far as the tool shows it.
struct HistoryListView: Decodable {
    struct Series: Decodable {
        let bot, metric, lane, kind, unit: String
        let labels: [String: String]
        /// Unix seconds at which the first and the last minute with a value begin.
        let first, last: Int64
    }

    /// Unix seconds; nil if there is no series.
    let first, last: Int64?
    /// By their key in an answer.
    let quantiles: [String: Double]
    let series: [Series]

    init(json: [UInt8]) throws(CollectorError) {
        do {
            self = try JSONDecoder().decode(HistoryListView.self, from: Data(json))
        } catch {
            throw CollectorError(description: "what answered is no list of a history: \(error)")
        }
    }

    /// The bots that have series. The collector's own series have no bot.
    var bots: [String] { Set(series.map(\.bot)).filter { !$0.isEmpty }.sorted() }

    var metrics: [String] { Set(series.map(\.metric)).sorted() }

    /// Returns one line for each series, below the time that they span and the quantiles kept.
    func rendered() -> String {
        guard let first, let last else { return "no series\n" }
        let quantiles = quantiles.values.sorted().map { "p" + Figures.real($0 * 100) }.joined(separator: ", ")
        var table = Table([
            .text("BOT"), .text("METRIC"), .text("LABELS"), .text("KIND"), .text("UNIT"), .text("FIRST SEEN"),
            .text("LAST SEEN"),
        ])
        for one in series {
            let lane = one.lane.isEmpty ? [] : ["lane=\(one.lane)"]
            let labels = lane + one.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            table.append(
                [one.bot.isEmpty ? "-" : one.bot, one.metric, labels.joined(separator: " "), one.kind, one.unit].map(
                    \.printable)
                    + [one.first, one.last].map(HistoryTable.time))
        }
        return
            "Minutes from \(HistoryTable.time(first)) to \(HistoryTable.time(last + 60)); of histograms \(quantiles)\n\n"
            + table.rendered()
    }
}
