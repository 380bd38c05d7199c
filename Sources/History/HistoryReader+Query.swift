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
    /// - Throws: ``HistoryQueryError`` for a question that asks for more than the bounds allow, ``HistoryFailure`` where the
    ///   file cannot be read.
    package func answer(
        _ query: HistoryQuery, pending: PendingMinutes = PendingMinutes(), bounds: HistoryBounds = HistoryBounds()
    ) throws -> HistoryAnswer {
        forgetWhatWasRead()
        let series = try AnswerSeries(self, query, pending, bounds)
        var answer = HistoryAnswer(query: query, series: [], unwatched: series.unwatched)
        while let next = try series.next() { answer.series.append(next) }
        return answer
    }

    /// Calls `body` with each minute of some series as one, in the order of time.
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
    /// An up-down counter is kept as a gauge: what it stood at.
    var tag: ValueTag {
        switch self {
        case .counter: .counter
        case .upDownCounter, .gauge: .gauge
        case .histogram: .histogram
        }
    }
}
