internal import Drain
internal import Exposition
internal import History
internal import HTTP
internal import Platform
internal import Series

/// Answers `/stats/history`: the stored minutes of a range, and the values that came since.
struct HistoryEndpoint: Sendable {
    let recorder: HistoryRecorder
    let exchange: SnapshotExchange

    /// - Parameters:
    ///   - arguments: the decoded arguments of the request's URL.
    ///   - isWanted: whether the client still waits for the answer.
    /// - Returns: an answer that reads one series after the other, all as of the moment of the request.
    func answer(
        _ arguments: [(name: String, value: String)], _ isWanted: @escaping @Sendable () -> Bool
    ) -> HTTPAnswer {
        recorder.waitUntilOpened()
        do {
            if AlertQuery.isAsked(arguments) { return .whole(try alerts(arguments)) }
            switch try HistoryRequest(arguments: arguments, now: Self.now()) {
            case .metric(let query):
                let pieces = HistoryJSONPieces(try series(query, isWanted))
                return .pieces(HTTPResponse(contentType: HistoryJSON.contentType, body: [])) { try pieces.next() }
            case .list(let query):
                let listing = try listing(query, isWanted)
                return .whole(HTTPResponse(contentType: HistoryJSON.contentType, body: HistoryListJSON.render(listing)))
            }
        } catch let error as HistoryQueryError {
            return .whole(.text("\(error)", status: error.isAboutNothing ? 404 : 400))
        } catch {
            return .whole(.text("the history cannot be read: \(error)", status: 503))
        }
    }

    /// Returns the time in seconds since the Unix epoch, with its fraction. So in a minute's first second, that minute
    /// is part of a range up to now.
    private static func now() -> Double { Double(TimeSource.system.unix()) * 1e-9 }

    private func series(_ query: HistoryQuery, _ isWanted: @escaping @Sendable () -> Bool) throws -> AnswerSeries {
        let reader = try reader(isWanted)
        try AnswerSeries.check(query, reader)
        return try AnswerSeries(reader, query, try begin(reader) { query.concerns($0) })
    }

    private func listing(
        _ query: HistoryListQuery, _ isWanted: @escaping @Sendable () -> Bool
    ) throws -> HistoryListing {
        let reader = try reader(isWanted)
        return try reader.listing(query, try begin(reader) { query.matches($0) })
    }

    /// Returns the alerts that fired, including those that began or ended in the open minute.
    private func alerts(_ arguments: [(name: String, value: String)]) throws -> HTTPResponse {
        let query = try AlertQuery(arguments: arguments, now: Self.now())
        let reader = try HistoryReader(path: recorder.databasePath)
        var pending: (Snapshot, UInt64)?
        if let snapshot = exchange.wait() {
            try reader.beginMoment { fix in
                recorder.withWrittenAlerts(snapshot) { written in
                    fix()
                    pending = written.map { (snapshot, $0) }
                }
            }
        } else {
            try reader.beginMoment()
        }
        return HTTPResponse(contentType: HistoryJSON.contentType, body: try query.answer(reader, pending: pending))
    }

    private func reader(_ isWanted: @escaping @Sendable () -> Bool) throws -> HistoryReader {
        let reader = try HistoryReader(path: recorder.databasePath)
        reader.isWanted = isWanted
        return reader
    }

    /// Fixes the moment that the answer describes.
    ///
    /// - Returns: The values that are not in the file yet. They match the file, since the read of the file begins while
    ///   nothing is written.
    private func begin(
        _ reader: HistoryReader, where isWanted: @escaping (HistorySeriesKey) -> Bool
    ) throws -> PendingMinutes {
        let snapshot = exchange.wait()
        var pending = PendingMinutes()
        try reader.beginMoment { fix in
            recorder.withPending(snapshot, where: isWanted) { found in
                fix()
                pending = found
            }
        }
        return pending
    }
}
