internal import Platform

/// The time between two turns: a quarter of the time in which the fastest ring fills, at the highest rate that it has
/// shown, from 1 ms to the configured maximum.
///
/// A ring with a new producer has shown no rate yet, and may fill before the longest wait is over. So for one second
/// its rate is assumed to be 4 million records/s. A rate that was not reached for a minute counts half from then on, so
/// that a burst at the opening does not keep the collector busy all day.
struct DrainPace {
    private let maximumIntervalNanoseconds: Int64
    /// The interval for the measured rates.
    private var shown: Int64
    private var nextRelease: MonotonicTime = 0
    /// The interval for rings without a measured rate, and the time until which it applies.
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

    /// Returns how long to wait from now on, in nanoseconds.
    func intervalNanoseconds(now: MonotonicTime) -> Int64 { now < unknownUntil ? min(shown, unknown) : shown }

    /// Records how much a ring's producer has written between two turns.
    ///
    /// - Parameters:
    ///   - published: The records by which the ring's position advanced. The number that was read may include an old
    ///     backlog.
    ///   - elapsedNanoseconds: The time between the turns.
    ///   - capacity: The ring's capacity in records.
    mutating func note(published: UInt64, elapsedNanoseconds: Int64, capacity: UInt64, now: MonotonicTime) {
        release(now: now)
        guard published > 0, elapsedNanoseconds > 0 else { return }
        let wanted = interval(rate: Double(published) / Double(elapsedNanoseconds) * 1e9, capacity: capacity)
        guard wanted <= shown else { return }
        (shown, nextRelease) = (wanted, now + Self.releaseNanoseconds)
    }

    /// Records a producer whose rate is not known yet.
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
