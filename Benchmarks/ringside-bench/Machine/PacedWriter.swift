internal import Drain
internal import CBench

/// Writes records at a rate, open loop: what is late is caught up, so that the rate is that which was asked for.
struct PacedWriter {
    /// How many at a time: a bot does not write a record every 20 ns, it writes those of one event.
    static let burstNanoseconds = 100_000.0

    /// - Parameters:
    ///   - rate: Records a second; nil for as many as can be.
    ///   - seconds: How long; longer where the machine stood still, until a hundred bursts are written, or half of those meant.
    ///   - write: Writes so many records.
    /// - Returns: the records written and the seconds that took.
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

    /// A slow writer sleeps between bursts, a fast one spins: a sleep takes some 60 us longer than asked for.
    private static func rest(_ rate: Double) {
        if rate <= 1_000_000 { return sleep(nanoseconds: Int64(burstNanoseconds)) }
        let next = bench_ticks() + TickScale.ticks(nanoseconds: burstNanoseconds)
        while bench_ticks() < next {}
    }
}
