internal import Platform
internal import RingReader
internal import Series

/// The clock of objectives and alerts. It starts with Unix time and advances by CLOCK_MONOTONIC, so that a minute of an
/// objective is a minute even if the wall clock is set. It never goes back, not even over restarts, so that no count is
/// ever in the future.
///
/// Dates that are shown or sent come from the wall clock, not from this one.
struct RuleClock {
    private let offsetNanoseconds: Int64

    /// Starts with the wall clock.
    init(_ time: TimeSource) { offsetNanoseconds = time.unix() - time.monotonic() }

    /// Continues the clock of an earlier collector. Within the same boot CLOCK_MONOTONIC gives the time that has passed,
    /// otherwise the wall clock does. The clock never goes back.
    init(restoring moment: RuleMoment, isSameBoot: Bool, _ time: TimeSource) {
        let now = time.monotonic()
        if isSameBoot, let then = moment.monotonicNanoseconds, then <= now {
            offsetNanoseconds = moment.ruleNanoseconds &- then
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

/// A moment on the ``RuleClock``.
package struct RuleMoment: Equatable, Sendable {
    package var ruleNanoseconds: Int64
    /// The same moment on CLOCK_MONOTONIC of the boot in which it was stored; nil if an older collector stored it.
    package var monotonicNanoseconds: Int64?

    package init(ruleNanoseconds: Int64, monotonicNanoseconds: Int64?) {
        self.ruleNanoseconds = ruleNanoseconds
        self.monotonicNanoseconds = monotonicNanoseconds
    }
}
