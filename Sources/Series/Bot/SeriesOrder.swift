/// A bot's series in lists. A series that comes costs its place at the end of them, one that goes a mark; those that came since are
/// sorted in, and those that went are taken out, when a list is asked for. So a bot that registers thousands has no list made anew
/// for each.
struct SeriesOrder {
    typealias Element = (key: SeriesKey, series: SummedSeries)

    /// By name and labels, without those that came since.
    private var sorted: [Element] = []
    private var added: [Element] = []
    private var unorderedHistograms: [HistogramSeries] = []
    private var unorderedCounters: [SummedSeries] = []
    private var knownHistogramKeys: [SeriesKey]?
    /// Series that went and are in the lists still, which keep them alive.
    private var gone: Set<ObjectIdentifier> = []

    mutating func insert(_ series: SummedSeries, under key: SeriesKey) {
        added.append((key: key, series: series))
        list(series)
        knownHistogramKeys = nil
    }

    private mutating func list(_ series: SummedSeries) {
        if let histogram = series.histogram { unorderedHistograms.append(histogram) }
        if series.kind == .counter || series.kind == .upDownCounter { unorderedCounters.append(series) }
    }

    mutating func remove(_ series: SummedSeries) { gone.insert(ObjectIdentifier(series)) }

    private mutating func takeOutGone() {
        guard !gone.isEmpty else { return }
        let gone = gone
        sorted.removeAll { gone.contains(ObjectIdentifier($0.series)) }
        added.removeAll { gone.contains(ObjectIdentifier($0.series)) }
        (unorderedHistograms, unorderedCounters, knownHistogramKeys) = ([], [], nil)
        for element in sorted { list(element.series) }
        for element in added { list(element.series) }
        self.gone = []
    }

    /// In no order.
    var histograms: [HistogramSeries] {
        mutating get {
            takeOutGone()
            return unorderedHistograms
        }
    }

    /// Counters and up-down counters, in no order.
    var counters: [SummedSeries] {
        mutating get {
            takeOutGone()
            return unorderedCounters
        }
    }

    /// All by name and labels. Cost: nothing where none came since; else a sort of those that did, and one pass over all.
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

    private static func merged(_ one: [Element], _ other: [Element]) -> [Element] {
        guard let last = one.last, let first = other.first, first.key < last.key else { return one + other }
        var merged: [Element] = []
        merged.reserveCapacity(one.count + other.count)
        var place = 0
        for element in one {
            while place < other.count, other[place].key < element.key {
                merged.append(other[place])
                place += 1
            }
            merged.append(element)
        }
        return merged + other[place...]
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
