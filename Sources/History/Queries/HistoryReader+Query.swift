internal import Series

/// Minutes that are not in the file yet, since the last write.
package struct PendingMinutes: Sendable {
    package var entries: [HistoryStore.Entry]
    package init(_ entries: [HistoryStore.Entry] = []) { self.entries = entries }
}

extension HistoryReader {
    /// Answers a query. Each step merges its minutes.
    ///
    /// - Parameter pending: minutes that are not in the file; they must be of the moment at which the file is read.
    /// - Throws: ``HistoryQueryError`` for a query beyond the bounds, ``HistoryFailure`` if the file cannot be read.
    package func answer(
        _ query: HistoryQuery, pending: PendingMinutes = PendingMinutes(), bounds: HistoryBounds = HistoryBounds()
    ) throws -> HistoryAnswer {
        forgetWhatWasRead()
        let series = try AnswerSeries(self, query, pending, bounds)
        var answer = HistoryAnswer(query: query, series: [], unwatched: series.unwatched)
        while let next = try series.next() { answer.series.append(next) }
        return answer
    }

    /// Calls `body` with each minute of some series, merged, in order of time.
    func forEachMinute(
        of ids: [Int64], in minutes: Range<Int64>, _ body: (_ minute: Int64, _ value: MinuteValue) -> Void
    ) throws(HistoryFailure) {
        var hour: [Int64: MinuteValue] = [:]
        try forEachPart(of: ids, in: minutes) { _ in
            for (minute, value) in hour.sorted(by: { $0.key < $1.key }) { body(minute, value) }
            hour.removeAll(keepingCapacity: true)
        } _: { minute, value in
            if hour[minute]?.merge(value) == nil { hour[minute] = value }
        }
    }
}

extension MetricKind {
    /// An up-down counter is stored as a gauge.
    var tag: ValueTag {
        switch self {
        case .counter: .counter
        case .upDownCounter, .gauge: .gauge
        case .histogram: .histogram
        }
    }
}
