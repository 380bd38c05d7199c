internal import SQLite
package import Series

/// Selects the series of a history to list.
package struct HistoryListQuery: Equatable, Sendable {
    /// Nil is any.
    package var bot: String?
    /// Labels that a series must have, including its bot's constant ones.
    package var labels: [Label]

    package init(bot: String? = nil, labels: [Label] = []) {
        self.bot = bot
        self.labels = labels
    }

    package func matches(_ key: HistorySeriesKey) -> Bool {
        (bot == nil || bot == key.bot) && labels.allSatisfy { key.has($0) }
    }
}

/// The contents of a history: its series, and the time span of each.
package struct HistoryListing: Equatable, Sendable {
    package struct Series: Equatable, Sendable {
        package var key: HistorySeriesKey
        /// The first and last minute with a value, counted since the Unix epoch.
        package var minutes: ClosedRange<Int64>
    }

    /// Ordered by bot and metric.
    package var series: [Series]

    /// The first and last minute of any series; nil if there is none.
    package var minutes: ClosedRange<Int64>? {
        guard let first = series.map(\.minutes.lowerBound).min(), let last = series.map(\.minutes.upperBound).max()
        else { return nil }
        return first...last
    }
}

extension HistoryReader {
    /// Lists the series of the history.
    ///
    /// Cost: the series, a look-up for each stored hour and each series, and the minutes that are not packed.
    /// - Parameter pending: Minutes that are not in the file; they must be of the moment at which the file is read.
    /// - Throws: ``HistoryQueryError`` for an unknown bot or more series than the bounds allow, ``HistoryFailure`` if
    ///   the file cannot be read.
    package func listing(
        _ query: HistoryListQuery, _ pending: PendingMinutes = PendingMinutes(),
        _ bounds: HistoryBounds = HistoryBounds()
    ) throws -> HistoryListing {
        let stored = try series()
        let entries = pending.entries.filter { !$0.value.isIdle }
        try checkIsKnown(query.bot, entries)
        let chosen = stored.filter { query.matches($0.key) }
        let times = try times(of: chosen)
        var minutes: [HistorySeriesKey: ClosedRange<Int64>] = [:]
        for one in chosen { minutes[one.key] = times[one.id] ?? one.seen...one.seen }
        for entry in entries where query.matches(entry.key) {
            minutes[entry.key] = minutes[entry.key].including(entry.minute)
        }
        guard minutes.count <= bounds.series else {
            throw HistoryQueryError(
                "\(minutes.count) series are too many to list: expected \(bounds.series) at most; name a bot or a label"
            )
        }
        return HistoryListing(
            series: minutes.map { HistoryListing.Series(key: $0.key, minutes: $0.value) }
                .sorted { $0.key.listOrder < $1.key.listOrder })
    }

    /// Refuses an unknown bot, whose name is more likely mistyped than meant.
    func checkIsKnown(_ bot: String?, _ pending: [HistoryStore.Entry]) throws {
        guard let bot, try !knows(bot: bot), !pending.contains(where: { $0.key.bot == bot }) else { return }
        throw HistoryQueryError(
            "the history knows no bot '\(bot)': a query without a metric and a bot lists the known ones",
            isAboutNothing: true)
    }

    /// Returns the first and last stored minute of each series, by number; idle series have none.
    func times(of series: [StoredSeries]) throws(HistoryFailure) -> [Int64: ClosedRange<Int64>] {
        var times = try firstPackedMinutes(of: series)
        for one in series { if let first = times[one.id] { times[one.id] = first.including(one.seen) } }
        let wanted = Set(series.map(\.id))
        try database.run("SELECT chunk, minute, body FROM minute") { row throws(HistoryFailure) in
            try checkIsWanted()
            let minute = row.integer(1)
            do throws(HistoryDamage) {
                // Skips the values themselves.
                try MinuteChunk.forEach(
                    in: row.blob(2), chunk: row.integer(0),
                    where: { id in
                        if wanted.contains(id) { times[id] = times[id].including(minute) }
                        return false
                    }, { _, _ in })
            } catch {
                throw HistoryFailure(error)
            }
        }
        return times
    }

    /// Returns the first packed minute of each series, by number. Scans the packed hours from the first one on. Series
    /// are numbered in order of appearance, so rows before those of the first missing series are skipped.
    private func firstPackedMinutes(of series: [StoredSeries]) throws(HistoryFailure) -> [Int64: ClosedRange<Int64>] {
        let perHour = HistoryStore.minutesPerHour
        var found: [Int64: ClosedRange<Int64>] = [:]
        var missing = series.sorted { $0.id < $1.id }[...]
        let wanted = Set(series.map(\.id))
        var next = try database.packedHour(from: 0)
        while let hour = next {
            try checkIsWanted()
            // A series last seen before this hour has no packed hour at all.
            while let first = missing.first, found[first.id] != nil || first.seen / perHour < hour {
                missing.removeFirst()
            }
            guard let first = missing.first else { return found }
            try database.run(
                "SELECT id, body FROM hour WHERE id >= ? AND id < ?",
                [
                    .integer(HistorySchema.hourID(hour: hour, series: first.id)),
                    .integer(HistorySchema.hourID(hour: hour + 1, series: 0)),
                ]
            ) { row throws(HistoryFailure) in
                let id = HistorySchema.series(ofID: row.integer(0))
                guard wanted.contains(id), found[id] == nil else { return }
                let place = (try? HourBlock(sealed: row.blob(1)))?.minutes.firstIndex { $0 != nil } ?? 0
                let minute = hour * perHour + Int64(place)
                found[id] = minute...minute
            }
            next = try database.packedHour(from: hour + 1)
        }
        return found
    }
}

extension HistorySeriesKey {
    /// Sorts by bot, metric and labels, as people look for a series.
    fileprivate var listOrder: (String, String, String) {
        (bot, name, allLabels.map { "\($0.name)=\($0.value)" }.joined(separator: " ") + lane)
    }
}

extension Optional<ClosedRange<Int64>> {
    fileprivate func including(_ minute: Int64) -> ClosedRange<Int64> { self?.including(minute) ?? minute...minute }
}

extension ClosedRange<Int64> {
    fileprivate func including(_ minute: Int64) -> ClosedRange<Int64> {
        Swift.min(lowerBound, minute)...Swift.max(upperBound, minute)
    }
}
