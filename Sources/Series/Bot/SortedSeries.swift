/// A bot's series in sorted lists. A new series is appended, and a removed one is marked. When a list is read, new
/// series are sorted in and removed series are taken out. So a bot that registers thousands of series does not rebuild
/// a list for each.
struct SortedSeries {
    typealias Element = (key: SeriesKey, series: SummedSeries)

    /// By name and labels, without the series in `added`.
    private var sorted: [Element] = []
    private var added: [Element] = []
    private var unorderedHistograms: [HistogramSeries] = []
    private var knownHistogramKeys: [SeriesKey]?
    /// The last result of ``named(_:)``; nil once a series was added or removed.
    private var knownNamed: (names: Set<String>, found: [Element])?
    /// Removed series that are still in the lists, which keep them alive.
    private var gone: Set<ObjectIdentifier> = []

    mutating func insert(_ series: SummedSeries, under key: SeriesKey) {
        added.append((key: key, series: series))
        if let histogram = series.histogram { unorderedHistograms.append(histogram) }
        (knownHistogramKeys, knownNamed) = (nil, nil)
    }

    mutating func remove(_ series: SummedSeries) {
        gone.insert(ObjectIdentifier(series))
        knownNamed = nil
    }

    private mutating func takeOutGone() {
        guard !gone.isEmpty else { return }
        let gone = gone
        sorted.removeAll { gone.contains(ObjectIdentifier($0.series)) }
        added.removeAll { gone.contains(ObjectIdentifier($0.series)) }
        knownHistogramKeys = nil
        unorderedHistograms = (sorted + added).compactMap(\.series.histogram)
        self.gone = []
    }

    /// In no particular order.
    var histograms: [HistogramSeries] {
        mutating get {
            takeOutGone()
            return unorderedHistograms
        }
    }

    /// All series by name and labels. Cost: nothing if no series was added since; otherwise a sort of the added series,
    /// and one pass over all.
    var all: [Element] {
        mutating get {
            takeOutGone()
            guard !added.isEmpty else { return sorted }
            let new = added.sorted { $0.key < $1.key }
            added = []
            sorted = Self.merged(sorted, new)
            return sorted
        }
    }

    /// Returns the series of some names, by name and labels. Cost: a search for each name; nothing for the names of the
    /// last call.
    mutating func named(_ names: Set<String>) -> [Element] {
        if let knownNamed, knownNamed.names == names { return knownNamed.found }
        let found = Self.find(names, in: all)
        knownNamed = (names, found)
        return found
    }

    private static func find(_ names: Set<String>, in all: [Element]) -> [Element] {
        var found: [Element] = []
        for name in names.map({ SeriesKey(name: $0, labels: []) }).sorted() {
            var (low, high) = (0, all.count)
            while low < high {
                let middle = (low + high) / 2
                if all[middle].key < name { low = middle + 1 } else { high = middle }
            }
            while low < all.count, all[low].key.name == name.name {
                found.append(all[low])
                low += 1
            }
        }
        return found
    }

    private static func merged(_ one: [Element], _ other: [Element]) -> [Element] {
        guard let last = one.last, let first = other.first, first.key < last.key else { return one + other }
        var merged: [Element] = []
        merged.reserveCapacity(one.count + other.count)
        var index = 0
        for element in one {
            while index < other.count, other[index].key < element.key {
                merged.append(other[index])
                index += 1
            }
            merged.append(element)
        }
        return merged + other[index...]
    }

    /// The names and labels of all histograms, sorted.
    var histogramKeys: [SeriesKey] {
        mutating get {
            takeOutGone()
            if let knownHistogramKeys { return knownHistogramKeys }
            let keys = all.filter { $0.series.kind == .histogram }.map(\.key)
            knownHistogramKeys = keys
            return keys
        }
    }
}
