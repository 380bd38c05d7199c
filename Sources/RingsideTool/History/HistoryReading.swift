internal import Arguments
internal import History
internal import Series

/// `ringside history --metric` of a file: one series is read, and shown, after the other.
struct HistoryReading {
    private let reader: HistoryReader
    private let query: HistoryQuery
    private let format: HistoryFormat

    init(_ reader: HistoryReader, _ options: HistoryOptions, _ metric: String) throws {
        let minutes = try options.minutes(default: nil)
        self.reader = reader
        format = options.format
        query = try HistoryQuery(
            metric: metric, bot: options.bot, labels: options.labels.map(\.label),
            from: Double(minutes.lowerBound * 60),
            to: Double(minutes.upperBound * 60), step: options.step, isMerged: options.isMerged)
    }

    func run() throws -> Int32 {
        try reader.atOneMoment {
            let series = try AnswerSeries(reader, query)
            switch format {
            case .json: try showJSON(series)
            case .table: try showTables(series)
            case .csv:
                try Terminal.output(HistoryTable.csvHead)
                while let view = try nextView(series) { try Terminal.output(HistoryTable(view).csv()) }
            }
        }
        return 0
    }

    private func showJSON(_ series: AnswerSeries) throws {
        let pieces = HistoryJSONPieces(series)
        while let piece = try pieces.next() { try Terminal.output(bytes: piece) }
        try Terminal.output("\n")
    }

    private func showTables(_ series: AnswerSeries) throws {
        var isFirst = true
        while let view = try nextView(series) {
            try Terminal.output((isFirst ? "" : "\n") + HistoryTable(view).rendered())
            isFirst = false
        }
        if isFirst { try Terminal.output(HistoryTable.nothing(of: query.metric)) }
    }

    /// What the tables show of one series is what a collector would have answered of it.
    private func nextView(_ series: AnswerSeries) throws -> HistoryView? {
        guard let next = try series.next() else { return nil }
        return try HistoryView(json: HistoryJSON.document(query, next))
    }
}
