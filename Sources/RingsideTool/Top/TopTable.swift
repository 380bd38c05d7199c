/// The table of instruments on the screen of `ringside top`.
///
/// Where the screen is too narrow, columns go in this order: MAX, LOST, PER S, BOT. Then each percentile has a unit of its
/// own, which takes less room than one unit for all. The percentiles always stay, and what is left of the line is the
/// instrument's, whose title is shortened.
struct TopTable {
    private enum Column: CaseIterable {
        case bot, instrument, unit, rate, p50, p95, p99, p999, mark, max, lost

        /// The order in which columns go.
        static let dispensable: [Column] = [.max, .lost, .rate, .bot]

        var title: String {
            switch self {
            case .bot: "BOT"
            case .instrument: "INSTRUMENT"
            case .unit: "UNIT"
            case .rate: "PER S"
            case .p50: "P50"
            case .p95: "P95"
            case .p99: "P99"
            case .p999: "P99.9"
            case .mark: ""
            case .max: "MAX"
            case .lost: "LOST"
            }
        }

        var isText: Bool { self == .bot || self == .instrument || self == .unit || self == .mark }
    }

    /// The width that the instruments have before columns go for them.
    private static let instrumentWidth = 24
    private static let instrumentWidthBesideBots = 14
    private static let leastInstrumentWidth = 6

    let head: String
    let lines: [String]
    /// The unit of each kind, by the unit of its metrics.
    let scales: [String: FigureScale]
    /// Sentences about the marks that the table has.
    let legend: [String]

    /// - Parameters:
    ///   - columns: The width of the screen.
    ///   - last: The units of the table before this one.
    init(
        _ rows: [(row: HistogramRow, window: CollectorView.Window)], columns width: Int,
        keeping last: [String: FigureScale] = [:]
    ) {
        let scales = Self.scales(rows, keeping: last)
        self =
            TopTable(rows, columns: width, scales, isCompact: false)
            ?? TopTable(rows, columns: width, scales, isCompact: true)!
    }

    /// - Returns: Nil if the percentiles or the titles do not fit, and the percentiles could be more compact.
    private init?(
        _ rows: [(row: HistogramRow, window: CollectorView.Window)], columns width: Int,
        _ scales: [String: FigureScale], isCompact: Bool
    ) {
        self.scales = scales
        let shared = ShortTitle.shared(rows.map(\.row.metric))
        let titles = rows.map { ShortTitle($0.row.metric, shared: shared) }
        var cells = Self.cells(rows, titles, scales, isCompact: isCompact)
        var widths: [Column: Int] = [:]
        for (column, texts) in cells { widths[column] = ([column.title] + texts).map(\.cells).max() ?? 0 }
        if isCompact { widths[.unit] = nil }
        if !(cells[.mark] ?? []).contains(where: { !$0.isEmpty }) { widths[.mark] = nil }
        func used() -> Int { widths.values.reduce(2 * (widths.count - 1), +) }
        let instrument = widths[.instrument] ?? 0
        widths[.instrument] = min(instrument, Self.instrumentWidth)
        for column in Column.dispensable {
            // Which bot it is matters more than the whole of an instrument's name.
            if column == .bot { widths[.instrument] = min(instrument, Self.instrumentWidthBesideBots) }
            if used() > width { widths[column] = nil }
        }
        widths[.instrument] = max(
            Self.leastInstrumentWidth, min(instrument, (widths[.instrument] ?? 0) + width - used()))
        let isLegible = widths[.instrument] ?? 0 >= min(instrument, Self.instrumentWidthBesideBots)
        guard isCompact || used() <= width && isLegible else { return nil }
        cells[.instrument] = ShortTitle.texts(titles, within: widths[.instrument] ?? 0)
        let shown = Column.allCases.filter { widths[$0] != nil }
        func line(_ text: (Column) -> String) -> String {
            shown.map { column in
                let (text, width) = (text(column), widths[column] ?? 0)
                if column.isText { return text.fitted(to: width) }
                return String(repeating: " ", count: max(0, width - text.cells)) + text
            }.joined(separator: "  ").prefix(cells: width)
        }
        head = line(\.title)
        lines = rows.indices.map { row in line { cells[$0]?[row] ?? "" } }
        let marks = Set(cells[.mark] ?? [])
        legend =
            (marks.contains("!") ? ["! records were lost: percentiles are of the others"] : [])
            + (marks.contains("+") ? ["+ the window is not complete yet"] : [])
    }

    /// Returns the unit of each kind. A kind without a row keeps its own for the time when it has some again.
    private static func scales(
        _ rows: [(row: HistogramRow, window: CollectorView.Window)], keeping last: [String: FigureScale]
    ) -> [String: FigureScale] {
        let groups = Dictionary(grouping: rows, by: \.row.metric.unit)
        return groups.reduce(into: last) { scales, group in
            scales[group.key] = FigureScale(
                unit: group.key, for: group.value.compactMap(\.window.p99),
                upTo: group.value.compactMap(\.window.p999).map(\.magnitude).max() ?? 0, keeping: last[group.key])
        }
    }

    private static func cells(
        _ rows: [(row: HistogramRow, window: CollectorView.Window)], _ titles: [ShortTitle],
        _ scales: [String: FigureScale], isCompact: Bool
    ) -> [Column: [String]] {
        func figures(_ value: (CollectorView.Window) -> Double?) -> [String] {
            if isCompact { return rows.map { FigureScale.compact(value($0.window), unit: $0.row.metric.unit) } }
            return rows.map { scales[$0.row.metric.unit]?.text(value($0.window)) ?? "-" }.alignedByPoint
        }
        return [
            .bot: rows.map(\.row.bot.printable), .instrument: titles.map(\.whole),
            .unit: rows.map { scales[$0.row.metric.unit]?.name ?? "" },
            .rate: rows.map { $0.window.rate.map(Figures.rate) ?? "-" }.alignedByPoint,
            .p50: figures(\.p50), .p95: figures(\.p95), .p99: figures(\.p99), .p999: figures(\.p999),
            .max: figures(\.max), .mark: rows.map(\.window.mark), .lost: rows.map { "\($0.window.lost ?? 0)" },
        ]
    }
}

extension CollectorView.Window {
    /// `!` if records of the window were lost, `+` if it is not complete for another reason, else "".
    fileprivate var mark: String { lost ?? 0 > 0 ? "!" : complete == true ? "" : "+" }
}
