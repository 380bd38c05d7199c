internal import Platform

/// How long the agent may leave its rings alone: a quarter of the time in which the fastest of them fills, by the highest
/// rate that it has shown; 1 ms to the longest configured.
///
/// A ring whose producer has just come has shown no rate yet, and may be full before the longest wait is over: for a second
/// it is looked at as often as one at 4 million records/s would be. A rate that was not reached again for a minute counts
/// half from then on, so that a burst at the opening does not keep the collector awake all day.
struct DrainPace {
    private let maximumIntervalNanoseconds: Int64
    /// What the rates ask for that were seen.
    private var shown: Int64
    private var nextRelease: MonotonicTime = 0
    /// What rings ask for that have shown no rate, and until when.
    private var unknown: Int64
    private var unknownUntil: MonotonicTime = .min

    static let minimumIntervalNanoseconds: Int64 = 1_000_000
    private static let rateOfNewcomer = 4e6
    private static let newcomerNanoseconds: Int64 = 1_000_000_000
    private static let releaseNanoseconds: Int64 = 60_000_000_000

    init(maximumIntervalNanoseconds: Int64) {
        self.maximumIntervalNanoseconds = maximumIntervalNanoseconds
        shown = maximumIntervalNanoseconds
        unknown = maximumIntervalNanoseconds
    }

    /// How long to wait from now on, in nanoseconds.
    func intervalNanoseconds(now: MonotonicTime) -> Int64 { now < unknownUntil ? min(shown, unknown) : shown }

    /// Takes note of what a ring's producer wrote between two turns.
    ///
    /// - Parameters:
    ///   - published: Records by which the ring's position moved; not what was read of it, which may be an old backlog.
    ///   - elapsedNanoseconds: The time between the turns.
    ///   - capacity: The ring's capacity in records.
    mutating func note(published: UInt64, elapsedNanoseconds: Int64, capacity: UInt64, now: MonotonicTime) {
        release(now: now)
        guard published > 0, elapsedNanoseconds > 0 else { return }
        let wanted = interval(rate: Double(published) / Double(elapsedNanoseconds) * 1e9, capacity: capacity)
        guard wanted <= shown else { return }
        (shown, nextRelease) = (wanted, now + Self.releaseNanoseconds)
    }

    /// Takes note of a producer whose rate nobody knows.
    mutating func noteNewcomer(capacity: UInt64, now: MonotonicTime) {
        let wanted = interval(rate: Self.rateOfNewcomer, capacity: capacity)
        unknown = now < unknownUntil ? min(unknown, wanted) : wanted
        unknownUntil = now + Self.newcomerNanoseconds
    }

    private func interval(rate: Double, capacity: UInt64) -> Int64 {
        let wanted = Int64(min(Double(capacity) / rate * 1e9 / 4, 1e18))
        return max(Self.minimumIntervalNanoseconds, min(maximumIntervalNanoseconds, wanted))
    }

    private mutating func release(now: MonotonicTime) {
        guard shown < maximumIntervalNanoseconds, now >= nextRelease else { return }
        (shown, nextRelease) = (min(maximumIntervalNanoseconds, shown * 2), now + Self.releaseNanoseconds)
    }
}
