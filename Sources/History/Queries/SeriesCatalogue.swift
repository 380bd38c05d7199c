internal import Series

/// The series that a query needs. Series that are only pending, and not in the file, have negative numbers.
struct SeriesCatalogue {
    /// The selected series, by bot, so that a bot's losses are read once.
    private(set) var found: [StoredSeries] = []
    /// For each bot, the series of its losses and incomplete minutes.
    private(set) var noted: [String: [StoredSeries]] = [:]
    private(set) var watched: [StoredSeries] = []
    private(set) var displaced: [StoredSeries] = []
    private var ids: [HistorySeriesKey: Int64] = [:]

    /// - Throws: A refusal if more are found than the bounds allow.
    init(_ reader: HistoryReader, _ query: HistoryQuery, _ pending: PendingMinutes, _ bounds: HistoryBounds) throws {
        try reader.forEachSeries(
            named: [query.metric, BuiltInSeries.lostName, BuiltInSeries.incompleteName]
                + [BuiltInSeries.watched, BuiltInSeries.displaced].map(\.name)
        ) { series in take(series, query, bounds) }
        for entry in pending.entries where ids[entry.key] == nil && !entry.value.isIdle {
            take(
                StoredSeries(id: -Int64(ids.count) - 1, key: entry.key, help: entry.help, seen: entry.minute), query,
                bounds)
        }
        guard found.count <= bounds.series else { throw bounds.refusal(moreThanSeries: query.metric) }
        found.sort { ($0.key.bot, $0.id.magnitude) < ($1.key.bot, $1.id.magnitude) }
    }

    private mutating func take(_ series: StoredSeries, _ query: HistoryQuery, _ bounds: HistoryBounds) {
        let key = series.key
        if query.matches(key) {
            // One too many is enough to know that the bound is exceeded.
            guard found.count <= bounds.series else { return }
            found.append(series)
            ids[key] = series.id
        }
        if key == BuiltInSeries.watched {
            watched.append(series)
        } else if key == BuiltInSeries.displaced {
            displaced.append(series)
        } else if BuiltInSeries.isOfBot(key.name) {
            noted[key.bot, default: []].append(series)
        } else {
            return
        }
        ids[key] = series.id
    }

    /// Returns the pending minutes of each series, by its number.
    func minutes(_ pending: PendingMinutes) -> PendingParts {
        var parts = PendingParts()
        for entry in pending.entries {
            guard let id = ids[entry.key], !entry.value.isIdle else { continue }
            parts.bySeries[id, default: []].append((entry.minute, entry.value))
        }
        return parts
    }
}

/// Parts of minutes that are not in the file yet.
struct PendingParts {
    var bySeries: [Int64: [(minute: Int64, value: MinuteValue)]] = [:]

    /// The hours in which they lie; nil if there are none.
    var hours: ClosedRange<Int64>? {
        var range: ClosedRange<Int64>?
        for (minute, _) in bySeries.values.joined() {
            let hour = minute / HistoryStore.minutesPerHour
            range = range.map { min($0.lowerBound, hour)...max($0.upperBound, hour) } ?? hour...hour
        }
        return range
    }
}
