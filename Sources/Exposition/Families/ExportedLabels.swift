internal import JSON
package import Series

/// The labels of series. One object serves all series that share the labels, and is passed as one reference.
package final class ExportedLabels: Sendable {
    /// The labels. No two have the same name.
    package let all: [Label]
    /// The labels in the form of both text formats, without braces: `a="1",b="2"`.
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

/// The label sets of one bot's series. Most of them are shared.
struct BotLabels {
    /// The labels of a series, alone and with each window of a histogram.
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

    /// Returns the index of a metric's labels.
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

    /// Returns the labels at an index with a window's label.
    mutating func labels(at place: Int, window name: String) -> ExportedLabels {
        if let known = entries[place].windows.first(where: { $0.name == name }) { return known.labels }
        let labels = ExportedLabels(entries[place].own.all + [Label("window", name)])
        entries[place].windows.append((name, labels))
        return labels
    }
}
