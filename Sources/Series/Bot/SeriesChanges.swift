/// The series of a bot whose totals changed since the last checkpoint. Thread rule: that of the series.
final class SeriesChanges {
    private var series: [SummedSeries] = []

    func add(_ series: SummedSeries) { self.series.append(series) }

    func take() -> [SummedSeries] {
        defer { series = [] }
        return series
    }

    /// The series that a checkpoint must store as a whole again, changed or not, by its number.
    private var expiring: [UInt64: [SummedSeries]] = [:]

    func expire(_ series: SummedSeries, at number: UInt64) { expiring[number, default: []].append(series) }

    func takeExpiring(at number: UInt64) -> [SummedSeries] { expiring.removeValue(forKey: number) ?? [] }
}

/// The form of one series in a checkpoint.
package enum SeriesUpdate {
    case whole(SeriesState)
    /// A change to be added to the earlier checkpoints.
    case change(SeriesChange)

    /// The number of checkpoints after which a series with changes is stored as a whole again, at most.
    package static let longestRunOfChanges: UInt64 = 64
}
