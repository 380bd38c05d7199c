internal import Drain
internal import Exposition
internal import Glibc
internal import History
internal import HTTP

/// `/stats/history`: what the store holds of a range, and what came since.
struct HistoryEndpoint: Sendable {
    let recorder: HistoryRecorder
    let exchange: SnapshotExchange

    /// - Parameter arguments: of the request's URL, decoded.
    func respond(_ arguments: [(name: String, value: String)]) -> HTTPResponse {
        do {
            let query = try HistoryQuery(arguments: arguments, now: Double(time(nil)))
            return HTTPResponse(contentType: HistoryJSON.contentType, body: HistoryJSON.render(try answer(query)))
        } catch let error as HistoryQueryError {
            return .text("\(error)", status: 400)
        } catch {
            return .text("the history cannot be read: \(error)", status: 503)
        }
    }

    private func answer(_ query: HistoryQuery) throws -> HistoryAnswer {
        let reader = try HistoryReader(path: recorder.databasePath)
        let snapshot = exchange.wait()
        // The pending minutes and the file must be of one moment: the file's is fixed while nothing is written.
        var pending = PendingMinutes()
        return try reader.atOneMoment(fixing: { fix in
            recorder.withPending(snapshot, where: { query.concerns($0) }) { found in
                fix()
                pending = found
            }
        }) { () throws(HistoryFailure) in
            try reader.answer(query, pending: pending)
        }
    }
}
