internal import JSON
package import Series

/// Families under construction. Every exported name belongs to one family, and so has one TYPE.
///
/// A histogram `x` owns `x_bucket`, `x_sum`, `x_count` and `x_created` in addition to `x`. A name belongs to the first
/// family that claims it.
struct FamilyTable {
    private(set) var families: [MetricFamily] = []
    private var owners: [String: Int] = [:]

    /// Returns the family of a name and kind, and makes it if there is none; nil if another family owns one of its
    /// names.
    mutating func family(
        _ name: String, _ kind: MetricFamily.Kind, help: @autoclosure () -> String, unit: MetricUnit = .none
    ) -> Int? {
        if let index = owners[name] {
            return families[index].name == name && families[index].kind == kind ? index : nil
        }
        let names = Self.sampleNames(of: name, kind)
        guard names.allSatisfy({ owners[$0] == nil }) else { return nil }
        for name in names { owners[name] = families.count }
        families.append(MetricFamily(name: name, kind: kind, help: help(), unit: unit, series: []))
        return families.count - 1
    }

    mutating func add(
        _ value: ExportedSeries.Value, _ labels: ExportedLabels, to index: Int, createdUnixSeconds: Double? = nil,
        isUpDownCounter: Bool = false
    ) {
        families[index].series.append(
            ExportedSeries(
                labelSet: labels, value: value, createdUnixSeconds: createdUnixSeconds, isUpDownCounter: isUpDownCounter
            ))
    }

    /// Returns the names of a family's samples in all formats. A counter's family has another name in OpenMetrics, but
    /// its samples have the same name everywhere.
    static func sampleNames(of name: String, _ kind: MetricFamily.Kind) -> [String] {
        switch kind {
        case .counter, .gauge: [name]
        case .summary: [name, "\(name)_sum", "\(name)_count", "\(name)_created"]
        case .histogram: [name, "\(name)_bucket", "\(name)_sum", "\(name)_count", "\(name)_created"]
        }
    }
}

/// The names of labels that the collector uses itself. A bot's label of such a name is exported as `exported_NAME`, as
/// Prometheus does with a scraped label that conflicts with its own.
private let reservedLabels: Set<String> = ["bot", "lane", "le", "quantile", "window"]

/// Returns all labels of one series: the collector's own, the metric's, then the bot's constant ones. Of two labels
/// with one name, the first one counts.
package func exportedLabels(bot: String, lane: String = "", metric: [Label] = [], constant: [Label] = []) -> [Label] {
    var labels = [Label("bot", bot)]
    if !lane.isEmpty { labels.append(Label("lane", lane)) }
    for label in [metric, constant].joined() {
        let name = reservedLabels.contains(label.name) ? "exported_\(label.name)" : label.name
        guard !labels.contains(where: { $0.name == name }) else { continue }
        labels.append(Label(name, label.value))
    }
    return labels
}
