package import Series

/// A moment by two clocks: the wall clock, which may be set, and CLOCK_MONOTONIC, which cannot.
package struct HistoryMoment: Equatable, Sendable {
    package var unixNanoseconds: Int64
    package var monotonicNanoseconds: Int64

    /// - Parameter monotonicNanoseconds: nil if both clocks are one, as in a replay.
    package init(unixNanoseconds: Int64, monotonicNanoseconds: Int64? = nil) {
        self.unixNanoseconds = unixNanoseconds
        self.monotonicNanoseconds = monotonicNanoseconds ?? unixNanoseconds
    }

    package init(_ snapshot: Snapshot) {
        self.init(
            unixNanoseconds: snapshot.unixNanoseconds, monotonicNanoseconds: snapshot.monotonicNanoseconds)
    }

    /// The minute since the Unix epoch; 0 for a time before it.
    package var minute: Int64 { max(0, unixNanoseconds) / HistoryInterval.minuteNanoseconds }
}

/// The time between two snapshots, and the minute that stores its values.
///
/// Its length is measured by CLOCK_MONOTONIC. Its minute is the wall clock's. If the wall clock was stepped in between,
/// the minute is that of the clock before the step, since the history takes a snapshot as soon as a step is noticed.
struct HistoryInterval {
    /// The minute of the interval's middle, since a snapshot is taken some milliseconds after a minute's end.
    let minute: Int64
    let seconds: Double
    /// For each minute, the seconds whose values are in the wrong minute: either stored here in excess, or missing
    /// here.
    private(set) var displacedSeconds: [Int64: Double] = [:]

    static let minuteNanoseconds: Int64 = 60_000_000_000
    /// The smallest difference between the clocks that is a step: adjtime(3) slews the wall clock by at most 500 parts
    /// in a million.
    private static let leastStepNanoseconds: Int64 = 1_000_000_000
    /// A smaller displacement by a late wakeup is not recorded.
    private static let leastDisplacedSeconds = 0.25

    /// - Returns: nil if `end` is before `start`.
    init?(from start: HistoryMoment, to end: HistoryMoment) {
        let (length, isTooLong) = end.monotonicNanoseconds.subtractingReportingOverflow(start.monotonicNanoseconds)
        guard length >= 0, !isTooLong else { return nil }
        let expected = start.unixNanoseconds.clampedAdding(length)
        let step = end.unixNanoseconds.clampedSubtracting(expected)
        let wasStepped = step.magnitude > UInt64(max(Self.leastStepNanoseconds, length / 1000))
        let last = wasStepped ? expected : end.unixNanoseconds
        let first = last.clampedSubtracting(length)
        seconds = Double(length) * 1e-9
        minute = max(0, first.clampedAdding(length / 2)) / Self.minuteNanoseconds
        noteDisplaced(first, last)
        // It is unknown when in the interval the clock was stepped.
        if wasStepped, length > 0 { displacedSeconds[minute, default: 0] += seconds }
    }

    /// Records the displaced seconds of the interval's own minute and of those of both ends. The minutes between them
    /// have no values, and so count as not watched.
    private mutating func noteDisplaced(_ first: Int64, _ last: Int64) {
        for other in Set([max(0, first) / Self.minuteNanoseconds, max(0, last) / Self.minuteNanoseconds])
        where other != minute {
            let start = max(first, other * Self.minuteNanoseconds)
            let overlap = Double(min(last, (other + 1) * Self.minuteNanoseconds) - start) * 1e-9
            guard overlap >= Self.leastDisplacedSeconds else { continue }
            displacedSeconds[other, default: 0] += overlap
            displacedSeconds[minute, default: 0] += overlap
        }
    }
}

extension Int64 {
    fileprivate func clampedAdding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min / 2 : .max / 2) : sum
    }

    fileprivate func clampedSubtracting(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max / 2 : .min / 2) : difference
    }
}
