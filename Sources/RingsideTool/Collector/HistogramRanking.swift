/// The figure by which tables of histograms are ranked, the highest first.
enum RankingFigure: String, CaseIterable, Sendable {
    case p50
    case p95
    case p99
    case p999 = "p99.9"
    case max
    case rate
    /// Records that are missing from the window.
    case lost
}

/// A histogram as one line of a table.
struct HistogramRow {
    let bot: String
    let metric: CollectorView.Metric
    /// Its figures over the table's time.
    let figures: any HistogramFigures
}

protocol HistogramFigures {
    var rate: Double? { get }
    var p50: Double? { get }
    var p95: Double? { get }
    var p99: Double? { get }
    var p999: Double? { get }
    var max: Double? { get }
    var lostCount: Double? { get }
}

extension CollectorView.Metric: HistogramFigures {
    /// Losses are known of windows alone.
    var lostCount: Double? { nil }
}

extension CollectorView.Window: HistogramFigures {
    var lostCount: Double? { lost.map { Double($0) } }
}

extension HistogramFigures {
    func value(of figure: RankingFigure) -> Double? {
        switch figure {
        case .p50: p50
        case .p95: p95
        case .p99: p99
        case .p999: p999
        case .max: max
        case .rate: rate
        case .lost: lostCount
        }
    }
}

extension [HistogramRow] {
    /// Returns the rows sorted by the figure, the highest first. Rows without the figure come last. Rows are grouped by
    /// unit, because seconds are not compared with dollars.
    ///
    /// - Parameter isByInstrument: Whether to group rows by instrument instead.
    func ranked(by figure: RankingFigure, isByInstrument: Bool = false) -> [HistogramRow] {
        sorted { first, second in
            let (one, other) = (first.metric, second.metric)
            let groups = isByInstrument ? (one.name, other.name) : (one.unit, other.unit)
            // Durations come first, since what is slow is looked for.
            let isDuration = (groups.0 == "seconds", groups.1 == "seconds")
            guard groups.0 == groups.1 else { return isDuration.0 || !isDuration.1 && groups.0 < groups.1 }
            switch (first.figures.value(of: figure), second.figures.value(of: figure)) {
            case (let first?, let second?) where first != second: return first > second
            case (.some, nil): return true
            case (nil, .some): return false
            default: return (first.bot, first.metric.title) < (second.bot, second.metric.title)
            }
        }
    }

    /// Returns the histograms that have a label, grouped by instrument, the highest figure first.
    ///
    /// - Throws: ``NoSuchName`` if no histogram has it.
    func ranked(
        by figure: RankingFigure, label: String, place: String
    ) throws(NoSuchName) -> [HistogramRow] {
        let chosen = filter { $0.metric.labels[label] != nil }
        guard chosen.isEmpty else { return chosen.ranked(by: figure, isByInstrument: true) }
        throw NoSuchName(
            "no histogram of \(place) has the label '\(label)'", label,
            among: Set(flatMap { $0.metric.labels.keys }).sorted(), nothing: "nor any other label")
    }
}

extension CollectorView.Metric {
    /// The name without its unit, which the figures show, and the label values.
    var title: String { title(without: nil) }

    /// The name without its unit.
    var stem: String {
        let suffix = unit.isEmpty ? "" : "_\(unit)"
        return name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    }

    /// - Parameter label: A label whose value is shown elsewhere.
    func title(without label: String?) -> String {
        let values = labels.sorted { $0.key < $1.key }.filter { $0.key != label }.map(\.value)
        return values.isEmpty ? stem : stem + " " + values.joined(separator: " ")
    }
}
