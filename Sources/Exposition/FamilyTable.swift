internal import JSON
package import Series

/// Families under construction: every exported name belongs to one family, and so has one TYPE.
///
/// A histogram `x` owns `x_bucket`, `x_sum`, `x_count` and `x_created` beside `x`. Who claims a name first keeps it.
struct FamilyTable {
    private(set) var families: [MetricFamily] = []
    private var owners: [String: Int] = [:]

    /// The family of that name and kind, made where there is none; nil where one of its names is another's.
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

    /// The names of a family's samples in all forms; of a counter, whose family has another name in OpenMetrics, the one
    /// that all forms have.
    static func sampleNames(of name: String, _ kind: MetricFamily.Kind) -> [String] {
        switch kind {
        case .counter, .gauge: [name]
        case .summary: [name, "\(name)_sum", "\(name)_count", "\(name)_created"]
        case .histogram: [name, "\(name)_bucket", "\(name)_sum", "\(name)_count", "\(name)_created"]
        }
    }
}

/// Labels that the collector gives a meaning to; a bot's label of that name goes out as `exported_NAME`, which is what
/// Prometheus itself does with a scraped label that stands in its way.
private let reservedLabels: Set<String> = ["bot", "lane", "le", "quantile", "window"]

/// All labels of one series: the collector's own, the metric's, then the bot's constant ones; of two with one name the
/// first stays.
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
