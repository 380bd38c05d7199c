/// How long the agent may leave its rings alone: a quarter of the time in which the fastest of them fills, by the highest
/// rate that it has shown; 1 ms to the longest configured.
struct DrainPace {
    private let maximumIntervalNanoseconds: Int64
    private(set) var intervalNanoseconds: Int64

    static let minimumIntervalNanoseconds: Int64 = 1_000_000

    init(maximumIntervalNanoseconds: Int64) {
        self.maximumIntervalNanoseconds = maximumIntervalNanoseconds
        // Nothing is known of the rings yet: look often, until they have shown their rates.
        intervalNanoseconds = maximumIntervalNanoseconds
    }

    /// Takes note of what one turn at a ring brought.
    ///
    /// - Parameters:
    ///   - records: Records read in the turn.
    ///   - elapsedNanoseconds: Time since the ring's last turn.
    ///   - capacity: The ring's capacity in records.
    mutating func note(records: Int, elapsedNanoseconds: Int64, capacity: UInt64) {
        guard records > 0, elapsedNanoseconds > 0 else { return }
        let nanosecondsToFill = Double(elapsedNanoseconds) / Double(records) * Double(capacity)
        let wanted = Int64(min(nanosecondsToFill / 4, 1e18))
        intervalNanoseconds = max(Self.minimumIntervalNanoseconds, min(intervalNanoseconds, wanted))
    }
}
