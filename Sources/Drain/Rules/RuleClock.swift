internal import Platform
internal import RingReader
internal import Series

/// The clock of objectives and alerts: Unix time when it began, counted on by CLOCK_MONOTONIC, so that a minute of an objective is
/// a minute whatever is done to the wall clock. It never goes back, over restarts too: what was counted is never in the future.
///
/// Dates that are shown or sent are not taken from it but from the wall clock.
struct RuleClock {
    private let offsetNanoseconds: Int64

    /// Begins with the wall clock.
    init(_ time: TimeSource) { offsetNanoseconds = time.unix() - time.monotonic() }

    /// Goes on from where an earlier collector was: in the same boot by CLOCK_MONOTONIC, else by the wall clock, but not back.
    init(resuming moment: RuleMoment, isSameBoot: Bool, _ time: TimeSource) {
        let now = time.monotonic()
        if isSameBoot, let kept = moment.monotonicNanoseconds, kept <= now {
            offsetNanoseconds = moment.ruleNanoseconds &- kept
        } else {
            offsetNanoseconds = max(moment.ruleNanoseconds, time.unix()) &- now
        }
    }

    func nanoseconds(_ now: MonotonicTime) -> Int64 { now &+ offsetNanoseconds }

    func seconds(_ now: MonotonicTime) -> Int64 { nanoseconds(now) / 1_000_000_000 }

    func moment(_ now: MonotonicTime) -> RuleMoment {
        RuleMoment(ruleNanoseconds: nanoseconds(now), monotonicNanoseconds: now)
    }
}
