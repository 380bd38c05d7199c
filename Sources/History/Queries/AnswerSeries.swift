internal import Series

/// The series of an answer, one after the other. The cost is checked before anything is computed. One series is in
/// memory at a time.
///
/// Thread rule: that of the reader. The reader's moment must last while series are read.
package final class AnswerSeries {
    package let query: HistoryQuery
    /// Minutes of steps that were not watched completely.
    package let unwatched: [Range<Int64>]
    private let reader: HistoryReader
    private let steps: HistorySteps
    private let watch: StepWatch
    private let catalogue: SeriesCatalogue
    private let pending: PendingParts
    private let groups: [[StoredSeries]]
    /// Hours in which the watched or displaced time cannot be read.
    private let damagedHours: Set<Int64>
    private var place = 0
    /// The losses of the bots of the previous series.
    private var losses: (bots: Set<String>, of: StepLosses)?

    /// - Throws: ``HistoryQueryError`` for unknown names or too large queries, ``HistoryFailure`` if the file cannot be
    ///   read.
    package init(
        _ reader: HistoryReader, _ query: HistoryQuery, _ pending: PendingMinutes = PendingMinutes(),
        _ bounds: HistoryBounds = HistoryBounds()
    ) throws {
        (self.reader, self.query) = (reader, query)
        steps = HistorySteps(query)
        catalogue = try SeriesCatalogue(reader, query, pending, bounds)
        self.pending = catalogue.minutes(pending)
        if catalogue.found.isEmpty { try reader.checkIsKnown(query.bot, pending.entries) }
        let hours = try reader.hours(in: query.minutes, self.pending)?.count ?? 0
        try bounds.check(query, seriesCount: catalogue.found.count, hours: hours)
        groups = Self.groups(catalogue.found, query)
        watch = try Self.watch(reader, steps, catalogue, self.pending)
        unwatched = watch.unwatched(steps)
        damagedHours = reader.damagedHours
    }

    /// Refuses a query that exceeds the bounds already with the series in the file, before anything else is done for
    /// it.
    ///
    /// - Throws: as `init`.
    package static func check(
        _ query: HistoryQuery, _ reader: HistoryReader, _ bounds: HistoryBounds = HistoryBounds()
    ) throws {
        let found = try SeriesCatalogue(reader, query, PendingMinutes(), bounds).found.count
        try bounds.check(
            query, seriesCount: found, hours: try reader.hours(in: query.minutes, PendingParts())?.count ?? 0)
    }

    /// Returns the next series with values in the range; nil if none is left.
    package func next() throws -> HistoryAnswer.Series? {
        while place < groups.count {
            let group = groups[place]
            place += 1
            guard let points = try points(of: group) else { continue }
            return HistoryAnswer.Series(
                key: group.count == 1 ? group[0].key : nil, kind: group[0].key.kind, unit: group[0].key.unit,
                points: points)
        }
        return nil
    }

    /// Groups the series that are merged. Series of another kind or unit than the first one are left out.
    private static func groups(_ found: [StoredSeries], _ query: HistoryQuery) -> [[StoredSeries]] {
        guard query.isMerged, let first = found.first?.key else { return found.map { [$0] } }
        return [found.filter { $0.key.kind == first.kind && $0.key.unit == first.unit }]
    }

    private static func watch(
        _ reader: HistoryReader, _ steps: HistorySteps, _ catalogue: SeriesCatalogue, _ pending: PendingParts
    ) throws(HistoryFailure) -> StepWatch {
        func seconds(_ noted: [StoredSeries]) throws(HistoryFailure) -> [Double] {
            var seconds = [Double](repeating: 0, count: steps.minutes.count)
            try reader.forEachPart(of: noted.map(\.id), in: steps.minutes, pending) { minute, value in
                if case .counter(let more) = value { seconds[Int(minute - steps.minutes.lowerBound)] += more }
            }
            return seconds
        }
        return StepWatch(
            steps, watched: try seconds(catalogue.watched), displaced: try seconds(catalogue.displaced))
    }

    private func losses(of bots: Set<String>) throws(HistoryFailure) -> StepLosses {
        if let losses, losses.bots == bots { return losses.of }
        var found = StepLosses(count: steps.count)
        for series in bots.flatMap({ catalogue.noted[$0] ?? [] }) {
            try reader.forEachPart(of: [series.id], in: steps.minutes, pending) { minute, value in
                let step = steps.step(ofMinute: minute)
                if case .counter(let lost) = value {
                    found.note(lost: lost, step: step)
                } else {
                    found.noteIncomplete(step: step)
                }
            }
        }
        losses = (bots, found)
        return found
    }

    /// Returns the points of a group; nil if its series have no value in the range.
    private func points(of group: [StoredSeries]) throws(HistoryFailure) -> [HistoryPoint]? {
        let losses = try losses(of: Set(group.map(\.key.bot)))
        let tag = group[0].key.kind.tag
        reader.forgetDamage(but: damagedHours)
        var open: [Int: MergedMinutes] = [:]
        var points: [Int: HistoryPoint.Reading] = [:]
        func finish(before minute: Int64) {
            for (step, merged) in open where steps.minutes(ofStep: step).upperBound <= minute {
                points[step] = merged.reading(tag, hasDistribution: query.hasDistribution)
                open[step] = nil
            }
        }
        try reader.forEachPart(of: group.map(\.id), in: steps.minutes, pending, hourEnd: finish) { minute, value in
            guard value.tag == tag else { return }
            let step = steps.step(ofMinute: minute)
            if open[step] == nil { open[step] = MergedMinutes() }
            open[step]?.add(value, minute: minute)
        }
        finish(before: .max)
        return points.isEmpty ? nil : self.points(points, losses, tag)
    }

    /// Returns the points of the steps that have a value, a loss or damage.
    private func points(
        _ readings: [Int: HistoryPoint.Reading], _ losses: StepLosses, _ tag: ValueTag
    ) -> [HistoryPoint] {
        let damaged = Set(reader.damagedHours.flatMap(damagedSteps))
        let nothing = MergedMinutes().reading(tag)
        return (0..<steps.count).compactMap { step in
            let lost = losses.lost[step]
            let reading = readings[step]
            guard reading != nil || lost > 0 || damaged.contains(step) else { return nil }
            return HistoryPoint(
                minute: steps.minutes(ofStep: step).lowerBound, watchedSeconds: watch.seconds[step],
                lost: UInt64(max(0, min(lost, 1e18))),
                isComplete: watch.isWhole[step] && lost == 0 && !losses.isTouched[step] && !damaged.contains(step),
                reading: reading ?? nothing)
        }
    }

    /// Returns the steps that a damaged hour touches.
    private func damagedSteps(_ hour: Int64) -> [Int] {
        let minutes = hour * HistoryStore.minutesPerHour..<(hour + 1) * HistoryStore.minutesPerHour
        let touched = minutes.clamped(to: steps.minutes)
        guard let last = touched.last else { return [] }
        return Array(steps.step(ofMinute: touched.lowerBound)...steps.step(ofMinute: last))
    }
}
