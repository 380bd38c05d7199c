internal import JSON
package import Series

/// The labels of series: made once for all series that have them, and handed on as one reference.
package final class ExportedLabels: Sendable {
    /// No two have one name.
    package let all: [Label]
    /// `a="1",b="2"`, without braces, as both texts of Prometheus' family write it.
    let text: [UInt8]
    /// Whether Prometheus accepts all names.
    let areValid: Bool

    init(_ labels: [Label]) {
        all = labels
        var text: [UInt8] = []
        text.reserveCapacity(labels.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 })
        for label in labels {
            if !text.isEmpty { text.append(UInt8(ascii: ",")) }
            text.append(label.name)
            text.append("=\"")
            text.append(escaped: label.value, quotes: true)
            text.append(UInt8(ascii: "\""))
        }
        self.text = text
        areValid = labels.allSatisfy { MetricName.isValidLabel($0.name) }
    }
}

/// The labels that one bot's series have: most of them the same.
struct BotLabels {
    /// The labels of a series, and with each window of a histogram.
    struct Entry {
        let own: ExportedLabels
        fileprivate(set) var windows: [(name: String, labels: ExportedLabels)] = []
    }

    private struct Key: Hashable {
        var lane: String
        var labels: [Label]
    }

    private let bot: BotSnapshot
    private var entries: [Entry] = []
    private var places: [Key: Int] = [:]
    private var last: (key: Key, place: Int)?

    init(_ bot: BotSnapshot) { self.bot = bot }

    /// Where the labels of a metric are.
    mutating func place(of metric: MetricSnapshot) -> Int {
        let key = Key(lane: metric.lane, labels: metric.labels)
        if let last, last.key == key { return last.place }
        let place = places[key] ?? entries.count
        if place == entries.count {
            let labels = exportedLabels(bot: bot.name, lane: key.lane, metric: key.labels, constant: bot.labels)
            entries.append(Entry(own: ExportedLabels(labels)))
            places[key] = place
        }
        last = (key, place)
        return place
    }

    subscript(place: Int) -> ExportedLabels { entries[place].own }

    /// The labels of a place with that of a window.
    mutating func labels(at place: Int, window name: String) -> ExportedLabels {
        if let known = entries[place].windows.first(where: { $0.name == name }) { return known.labels }
        let labels = ExportedLabels(entries[place].own.all + [Label("window", name)])
        entries[place].windows.append((name, labels))
        return labels
    }
}
