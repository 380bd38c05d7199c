internal import Arguments
internal import History
internal import Series

/// `ringside history --metric` on a file: reads and shows one series after the other.
struct HistoryMetricCommand {
    private let reader: HistoryReader
    private let query: HistoryQuery
    private let format: HistoryFormat

    init(_ reader: HistoryReader, _ options: HistoryOptions, _ metric: String) throws {
        self.reader = reader
        format = options.format
        query = try options.query(metric)
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

    /// Reads the next series, in exactly the form of a collector's answer.
    private func nextView(_ series: AnswerSeries) throws -> HistoryView? {
        guard let next = try series.next() else { return nil }
        return try HistoryView(json: HistoryJSON.document(query, next))
    }
}
