internal import Series

/// Minutes that are in no file yet: what came since the last one was written.
package struct PendingMinutes: Sendable {
    package var entries: [HistoryStore.Entry]
    package init(_ entries: [HistoryStore.Entry] = []) { self.entries = entries }
}

extension HistoryReader {
    /// Answers a query: each step is the merge of its minutes.
    ///
    /// - Parameter pending: what is not in the file; it must be of the moment that the file is read at.
    package func answer(
        _ query: HistoryQuery, pending: PendingMinutes = PendingMinutes()
    ) throws(HistoryFailure) -> HistoryAnswer {
        let catalogue = SeriesCatalogue(try series(for: query), pending)
        let found = catalogue.all.filter { query.matches($0.key) }
        let groups = query.isMerged && !found.isEmpty ? Self.merged(found) : found.map { [$0] }
        let coverage = try coverage(bots: Set(found.map(\.key.bot)), query.minutes, catalogue, pending)
        var answer = HistoryAnswer(query: query, series: [])
        for group in groups {
            let points = try points(of: group, query, coverage, pending.minutes(catalogue))
            guard let points else { continue }
            answer.series.append(
                HistoryAnswer.Series(
                    key: group.count == 1 ? group[0].key : nil, kind: group[0].key.kind, unit: group[0].key.unit,
                    points: points))
        }
        return marked(answer)
    }

    /// A step that touches a damaged hour is not complete.
    private func marked(_ answer: HistoryAnswer) -> HistoryAnswer {
        guard !damagedHours.isEmpty else { return answer }
        var answer = answer
        let perHour = HistoryStore.minutesPerHour
        for series in answer.series.indices {
            for place in answer.series[series].points.indices {
                let first = answer.series[series].points[place].minute
                let last = min(first + answer.query.stepMinutes, answer.query.minutes.upperBound) - 1
                if (first / perHour...last / perHour).contains(where: { damagedHours.contains($0) }) {
                    answer.series[series].points[place].isComplete = false
                }
            }
        }
        return answer
    }

    /// What can be added: those of the first one's kind and unit.
    private static func merged(_ found: [StoredSeries]) -> [[StoredSeries]] {
        [found.filter { $0.key.kind == found[0].key.kind && $0.key.unit == found[0].key.unit }]
    }

    /// Nil where the series have nothing in the range.
    private func points(
        of group: [StoredSeries], _ query: HistoryQuery, _ coverage: Coverage, _ pending: OpenMinutes
    ) throws(HistoryFailure) -> [HistoryPoint]? {
        let tag = group[0].key.kind.tag
        var points: [HistoryPoint] = []
        var hasAny = false
        let merged = MergedMinutes()
        let bots = Set(group.map(\.key.bot))
        func finish(_ step: Int) {
            let start = query.minutes.lowerBound + Int64(step) * query.stepMinutes
            let minutes = start..<min(start + query.stepMinutes, query.minutes.upperBound)
            points.append(coverage.point(minutes, bots: bots, merged.reading(tag)))
            hasAny = hasAny || !merged.isEmpty
            merged.removeAll()
        }
        try forEachMinute(of: group.map(\.id), in: query.minutes, pending) { minute, value in
            let step = Int((minute - query.minutes.lowerBound) / query.stepMinutes)
            while points.count < step { finish(points.count) }
            if value.tag == tag { merged.add(value) }
        }
        while points.count < query.stepCount { finish(points.count) }
        return hasAny ? points : nil
    }

    /// Calls `body` with each minute of some series, in the order of time.
    package func forEachMinute(
        of ids: [Int64], in minutes: Range<Int64>, _ body: (_ minute: Int64, _ value: MinuteValue) -> Void
    ) throws(HistoryFailure) {
        try forEachMinute(of: ids, in: minutes, OpenMinutes(), body)
    }

    private func forEachMinute(
        of ids: [Int64], in minutes: Range<Int64>, _ pending: OpenMinutes,
        _ body: (_ minute: Int64, _ value: MinuteValue) -> Void
    ) throws(HistoryFailure) {
        guard !minutes.isEmpty else { return }
        let wanted = Set(ids)
        var open = try openMinutes(of: wanted, in: minutes)
        for (_, values) in pending.byHour {
            for value in values where wanted.contains(value.id) {
                open.append(id: value.id, minute: value.minute, value: value.value)
            }
        }
        let perHour = HistoryStore.minutesPerHour
        for hour in minutes.lowerBound / perHour...(minutes.upperBound - 1) / perHour {
            let blocks = try self.hour(hour, of: ids, open: open)
            guard !blocks.isEmpty else { continue }
            for place in 0..<HourBlock.minutesPerHour {
                let minute = hour * perHour + Int64(place)
                guard minutes.contains(minute) else { continue }
                for id in ids { if let value = blocks[id]?.minutes[place] { body(minute, value) } }
            }
        }
    }

    /// What is known of each minute of a range, over some bots.
    private func coverage(
        bots: Set<String>, _ minutes: Range<Int64>, _ catalogue: SeriesCatalogue, _ pending: PendingMinutes
    ) throws(HistoryFailure) -> Coverage {
        var coverage = Coverage(minutes: minutes)
        let open = pending.minutes(catalogue)
        for series in catalogue.all {
            let key = series.key
            let isNoted = [NotedSeries.lostName, NotedSeries.incompleteName].contains(key.name)
            let isOfCollector = key == NotedSeries.watched || key == NotedSeries.displaced
            guard isOfCollector || isNoted && bots.contains(key.bot) else { continue }
            try forEachMinute(of: [series.id], in: minutes, open) { minute, value in
                switch value {
                case .counter(let lost) where key.name == NotedSeries.lostName:
                    coverage.note(lost: lost, bot: key.bot, minute: minute)
                case .counter(let seconds) where key == NotedSeries.displaced:
                    coverage.note(displaced: seconds, minute: minute)
                case .counter(let seconds): coverage.note(watched: seconds, minute: minute)
                default: coverage.noteIncomplete(bot: key.bot, minute: minute)
                }
            }
        }
        return coverage
    }
}

extension MetricKind {
    /// An up-down counter is kept as a gauge: what it stood at.
    var tag: ValueTag {
        switch self {
        case .counter: .counter
        case .upDownCounter, .gauge: .gauge
        case .histogram: .histogram
        }
    }
}

/// The series of a file and those that are pending alone, which get numbers of their own below zero.
private struct SeriesCatalogue {
    let all: [StoredSeries]
    let ids: [HistorySeriesKey: Int64]

    init(_ stored: [StoredSeries], _ pending: PendingMinutes) {
        var all = stored
        var ids = Dictionary(stored.map { ($0.key, $0.id) }) { first, _ in first }
        for entry in pending.entries where ids[entry.key] == nil && !entry.value.isIdle {
            ids[entry.key] = -Int64(all.count) - 1
            all.append(
                StoredSeries(id: -Int64(all.count) - 1, key: entry.key, help: entry.help, seen: entry.minute))
        }
        self.all = all
        self.ids = ids
    }
}

extension PendingMinutes {
    fileprivate func minutes(_ catalogue: SeriesCatalogue) -> HistoryReader.OpenMinutes {
        var open = HistoryReader.OpenMinutes()
        for entry in entries {
            if let id = catalogue.ids[entry.key] { open.append(id: id, minute: entry.minute, value: entry.value) }
        }
        return open
    }
}
