internal import Drain
internal import CBench

/// Writes records at a rate in an open loop: late records are caught up with, so that the rate is the requested one.
struct PacedWriter {
    /// The time between two bursts. A bot does not write a record every 20 ns; it writes the records of one event
    /// together.
    static let burstNanoseconds = 100_000.0

    /// - Parameters:
    ///   - rate: Records a second; nil for as many as possible.
    ///   - seconds: How long to write. It takes longer if the machine stood still: until a hundred bursts are written,
    ///     or half of the planned ones.
    ///   - write: Writes a number of records.
    /// - Returns: The records written, and the seconds that this took.
    static func run(
        rate: Double?, seconds: Double, write: (Int) -> Void
    ) -> (records: Int, seconds: Double) {
        let begun = monotonicNanoseconds()
        let end = begun + Int64(seconds * 1e9)
        let meantBursts = seconds * min(rate ?? .infinity, 1e9 / burstNanoseconds)
        let leastBursts = Int(min(100, meantBursts / 2))
        var (written, bursts) = (0, 0)
        while true {
            let now = monotonicNanoseconds()
            if now >= end, bursts >= leastBursts { break }
            let due = rate.map { Int($0 * Double(now - begun) * 1e-9) - written } ?? 1000
            if due > 0 {
                write(due)
                written += due
                bursts += 1
            }
            if let rate { rest(rate) }
        }
        return (written, Double(monotonicNanoseconds() - begun) * 1e-9)
    }

    /// Waits between two bursts. A slow writer sleeps, a fast one spins, because a sleep takes some 60 us longer than
    /// requested.
    private static func rest(_ rate: Double) {
        if rate <= 1_000_000 { return sleep(nanoseconds: Int64(burstNanoseconds)) }
        let next = bench_ticks() + TickScale.ticks(nanoseconds: burstNanoseconds)
        while bench_ticks() < next {}
    }
}
