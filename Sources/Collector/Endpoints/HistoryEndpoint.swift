internal import Drain
internal import Exposition
internal import Glibc
internal import History
internal import HTTP

/// `/stats/history`: what the store holds of a range, and what came since.
struct HistoryEndpoint: Sendable {
    let recorder: HistoryRecorder
    let exchange: SnapshotExchange

    /// - Parameters:
    ///   - arguments: of the request's URL, decoded.
    ///   - isWanted: whether the answer still is.
    /// - Returns: an answer that reads one series after the other, of the moment of the question.
    func answer(
        _ arguments: [(name: String, value: String)], _ isWanted: @escaping @Sendable () -> Bool
    ) -> HTTPAnswer {
        do {
            let query = try HistoryQuery(arguments: arguments, now: Double(time(nil)))
            let pieces = HistoryJSONPieces(try begin(query, isWanted))
            let head = HTTPResponse(contentType: HistoryJSON.contentType, body: [])
            return .pieces(head) { try pieces.next() }
        } catch let error as HistoryQueryError {
            return .whole(.text("\(error)", status: error.isAboutNothing ? 404 : 400))
        } catch {
            return .whole(.text("the history cannot be read: \(error)", status: 503))
        }
    }

    private func begin(_ query: HistoryQuery, _ isWanted: @escaping @Sendable () -> Bool) throws -> AnswerSeries {
        let reader = try HistoryReader(path: recorder.databasePath)
        reader.isWanted = isWanted
        try AnswerSeries.check(query, reader)
        let snapshot = exchange.wait()
        // The pending minutes and the file must be of one moment: the file's is fixed while nothing is written.
        var pending = PendingMinutes()
        try reader.beginMoment { fix in
            recorder.withPending(snapshot, where: { query.concerns($0) }) { found in
                fix()
                pending = found
            }
        }
        return try AnswerSeries(reader, query, pending)
    }
}
