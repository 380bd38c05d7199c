/// Limits on the cost of one query. The cost is known before anything is computed. A query beyond a limit is refused
/// with advice on how to ask for less.
package struct HistoryBounds: Equatable, Sendable {
    /// Points of an answer: series times steps. One takes some 100 to 300 bytes of the answer.
    package var points = 500_000
    /// Series that a query finds.
    package var series = 20_000
    /// Series times hours that a query reads.
    package var seriesHours = 500_000

    package init() {}

    /// Refuses a query beyond a limit.
    ///
    /// - Parameters:
    ///   - seriesCount: the series that the query finds.
    ///   - hours: the stored hours that its range touches.
    func check(_ query: HistoryQuery, seriesCount: Int, hours: Int) throws(HistoryQueryError) {
        let shown = query.isMerged ? min(seriesCount, 1) : seriesCount
        let (points, tooFar) = shown.multipliedReportingOverflow(by: query.stepCount)
        guard !tooFar, points <= self.points else {
            throw HistoryQueryError(
                """
                \(shown) series of \(query.stepCount) steps each are \(points) points: expected \(self.points) at most; choose a \
                longer step or a shorter range, name a bot or a label, or merge the series
                """)
        }
        guard seriesCount * hours <= seriesHours else {
            throw HistoryQueryError(
                """
                \(seriesCount) series over \(hours) hours are too much to read: expected \(seriesHours) at most when multiplied; \
                choose a shorter range, or name a bot or a label
                """)
        }
    }

    func refusal(moreThanSeries metric: String) -> HistoryQueryError {
        HistoryQueryError(
            "more than \(series) series of \(metric) fit: expected \(series) at most; name a bot or a label")
    }
}
