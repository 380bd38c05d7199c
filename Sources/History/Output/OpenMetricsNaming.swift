internal import Exposition
internal import Series

/// Series of a history that are exported as one, since their exported names and labels are equal.
struct ExportedHistory {
    let labels: [Label]
    var ids: [Int64]
}

/// One family of the export.
struct ExportedFamily {
    enum Form {
        /// The samples `x_total` belong to the family `x`.
        case counter
        case gauge
        case histogram
        /// A metric that fits no other type of OpenMetrics, such as a counter whose name does not end like one.
        case unknown
    }

    /// The name of its samples; for a histogram, without the suffix of each.
    let name: String
    let form: Form
    let kind: MetricKind
    let unit: MetricUnit
    let help: String
    let series: [ExportedHistory]

    /// Returns the name of the percentiles, as in /metrics: `x_window_seconds` for `x_seconds`.
    static func windowName(_ name: String, _ unit: MetricUnit) -> String {
        let suffix = "_\(unit.rawValue)"
        guard unit != .none, name.hasSuffix(suffix) else { return name + "_window" }
        return name.dropLast(suffix.count) + "_window" + suffix
    }
}

/// Finds the families so that no name of a family or of its samples belongs to another family, since OpenMetrics allows
/// each name once. Counters come last, as in /metrics: if the name of their family is taken, they can be exported under
/// their own name, as an unknown type.
struct OpenMetricsNaming {
    private(set) var families: [ExportedFamily] = []
    /// Series whose name is invalid or belongs to another family.
    private(set) var leftOut = 0
    private var taken: Set<String> = []

    init(_ series: [StoredSeries]) {
        let named = Dictionary(grouping: series) { $0.key.name }.sorted { $0.key < $1.key }
        for isCounter in [false, true] {
            for (name, series) in named where (series[0].key.kind == .counter) == isCounter { add(name, series) }
        }
        families.sort { $0.name < $1.name }
    }

    private mutating func add(_ name: String, _ series: [StoredSeries]) {
        let first = series[0].key
        let fit = series.filter { $0.key.hasValidNames && $0.key.kind == first.kind && $0.key.unit == first.unit }
        guard !fit.isEmpty, let form = form(of: name, first.kind, first.unit) else { return leftOut += series.count }
        leftOut += series.count - fit.count
        var byLabels: [[Label]: ExportedHistory] = [:]
        for one in fit {
            let labels = one.key.exportedLabels
            byLabels[labels, default: ExportedHistory(labels: labels, ids: [])].ids.append(one.id)
        }
        families.append(
            ExportedFamily(
                name: name, form: form, kind: first.kind, unit: first.unit, help: fit[0].help,
                series: byLabels.values.sorted { $0.ids[0] < $1.ids[0] }))
    }

    /// Takes the names of a family, and returns its form; nil if its name is taken.
    private mutating func form(of name: String, _ kind: MetricKind, _ unit: MetricUnit) -> ExportedFamily.Form? {
        func names(_ name: String, _ suffixes: [String]) -> [String] { ([""] + suffixes).map { name + $0 } }
        switch kind {
        case .counter:
            let base = name.hasSuffix("_total") ? String(name.dropLast(6)) : ""
            if !base.isEmpty, take(names(base, ["_total", "_created"])) { return .counter }
            return take([name]) ? .unknown : nil
        case .gauge, .upDownCounter: return take([name]) ? .gauge : nil
        case .histogram:
            let window = ExportedFamily.windowName(name, unit)
            return take(["_bucket", "_count", "_sum"].map { name + $0 } + [name, window]) ? .histogram : nil
        }
    }

    private mutating func take(_ names: [String]) -> Bool {
        guard taken.isDisjoint(with: names) else { return false }
        taken.formUnion(names)
        return true
    }
}

extension HistorySeriesKey {
    /// The labels as in /metrics; the collector's own series have no bot.
    fileprivate var exportedLabels: [Label] {
        Exposition.exportedLabels(bot: bot, lane: lane, metric: labels, constant: botLabels)
            .filter { $0.name != "bot" || !bot.isEmpty }.sorted()
    }

    fileprivate var hasValidNames: Bool {
        func isValid(_ name: String, _ others: String) -> Bool {
            !name.isEmpty
                && name.utf8.enumerated().allSatisfy { place, byte in
                    let isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A || byte == 0x5F
                    return isLetter || others.utf8.contains(byte) || place > 0 && byte >= 0x30 && byte <= 0x39
                }
        }
        return isValid(name, ":") && allLabels.allSatisfy { isValid($0.name, "") && $0.name != "__name__" }
    }
}
