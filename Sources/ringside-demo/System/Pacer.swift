/// An open loop: each event has a due time, which does not move if the bot is late. Pacing by the end of the previous
/// event hides every stall ("coordinated omission", Gil Tene).
struct Pacer: Sendable {
    /// Sleeps are no shorter than this. The events that came due meanwhile are handled together, like those of one
    /// packet of a feed: 20,000 wake-ups a second would cost more than the events.
    static let shortestSleepNanoseconds: Int64 = 1_000_000

    /// 0: each event is due at once.
    let eventsPerSecond: Double
    let startNanoseconds: Int64
    /// nil: no end.
    let durationNanoseconds: Int64?
    /// Events begun so far.
    private(set) var begun: Int64 = 0

    /// Returns the number of due events that have not begun yet, `limit` at most.
    func due(at nowNanoseconds: Int64, limit: Int64) -> Int64 {
        guard !isOver(at: nowNanoseconds) else { return 0 }
        guard eventsPerSecond > 0 else { return limit }
        let elapsed = min(nowNanoseconds - startNanoseconds, durationNanoseconds ?? .max)
        let intended = Int64(Double(max(0, elapsed)) * eventsPerSecond / 1e9)
        return max(0, min(limit, intended - begun))
    }

    mutating func begin() { begun += 1 }

    /// Returns when event `number`, counted from 0, is due. The first is due after one interval.
    func intendedNanoseconds(_ number: Int64) -> Int64 {
        startNanoseconds + Int64(Double(number + 1) * 1e9 / eventsPerSecond)
    }

    /// Returns whether the run has ended. Late events that were due before its end are still handled for a second. A
    /// bot that is later than that cannot keep up with the rate.
    func isOver(at nowNanoseconds: Int64) -> Bool {
        guard let duration = durationNanoseconds else { return false }
        let late = nowNanoseconds - startNanoseconds - duration
        guard late >= 0 else { return false }
        guard eventsPerSecond > 0, late < 1_000_000_000 else { return true }
        return begun >= Int64(Double(duration) * eventsPerSecond / 1e9)
    }

    /// Returns how long to sleep if nothing is due.
    func sleepNanoseconds(at nowNanoseconds: Int64) -> Int64 {
        let next = eventsPerSecond > 0 ? intendedNanoseconds(begun) : nowNanoseconds
        let end = durationNanoseconds.map { startNanoseconds + $0 } ?? .max
        return max(Self.shortestSleepNanoseconds, min(next, end) - nowNanoseconds)
    }
}
