/// What is missing from the windows of one ring: gaps on the time axis, with how many records each swallowed.
///
/// A gap touches every window between the last valid time before it and the first after. All windows end at now, so
/// what decides is the gap's end: the first valid time after it, or now where there is none yet. Gaps are kept by the
/// finest slice of their end, which tells windows apart exactly as slices begin there; so memory is bounded by the
/// longest window whatever is lost. A gap that no window can see any more is forgotten, its count by reason is not.
///
/// Thread rule: one thread at a time. Cost: a few nanoseconds a gap; a question costs one pass over the slices that hold
/// gaps.
package struct LossLog: Sendable {
    private let options: SeriesOptions
    /// Ascending by slice.
    private var gaps: [Gap] = []
    /// Records lost since the ring was first seen, by reason.
    package private(set) var lost: [LossReason: UInt64] = [:]

    private struct Gap: Sendable {
        /// The number of the finest slice that holds the gap's end.
        var slice: Int64
        var lost: UInt64
    }

    package init(options: SeriesOptions) { self.options = options }

    /// Notes that records were lost.
    ///
    /// - Parameters:
    ///   - count: how many; their windows are incomplete even if it is 0.
    ///   - through: the time of the first valid record after the gap, in nanoseconds; nil while there is none.
    ///   - now: the time, in nanoseconds; no gap ends after it.
    package mutating func note(lost count: UInt64, reason: LossReason, through: Int64?, now: Int64) {
        lost[reason, default: 0] &+= count
        add(count, through: min(through ?? now, now))
    }

    /// Notes that records may be missing though none was lost: emission was disabled, or nobody was watching.
    ///
    /// - Parameter through: the end of that time, in nanoseconds.
    package mutating func noteUnwatched(through: Int64) {
        add(0, through: through)
    }

    private mutating func add(_ count: UInt64, through: Int64) {
        let slice = through.intervalNumber(width: options.finestSliceNanoseconds)
        // Gaps come nearly always in the order of time.
        var place = gaps.count
        while place > 0 && gaps[place - 1].slice > slice { place -= 1 }
        if place > 0 && gaps[place - 1].slice == slice {
            gaps[place - 1].lost &+= count
        } else {
            gaps.insert(Gap(slice: slice, lost: count), at: place)
        }
    }

    /// What is missing from each window that ends now, in the order of the windows.
    package mutating func completeness(now: Int64) -> [WindowCompleteness] {
        forget(now: now)
        return options.windows.map { window in
            let first = firstSlice(of: window, now: now)
            let inside = gaps.lazy.filter { $0.slice >= first }
            return WindowCompleteness(
                window: window, lost: inside.reduce(0) { $0 &+ $1.lost }, isComplete: inside.isEmpty)
        }
    }

    private mutating func forget(now: Int64) {
        let first = options.windows.map { firstSlice(of: $0, now: now) }.min() ?? .max
        gaps.removeFirst(gaps.firstIndex { $0.slice >= first } ?? gaps.count)
    }

    /// The first finest slice that a window shows.
    private func firstSlice(of window: WindowSpan, now: Int64) -> Int64 {
        window.startNanoseconds(now: now) / options.finestSliceNanoseconds
    }
}

extension WindowSpan {
    /// Where the window that ends now begins: its last whole slices, and the one that is filling.
    func startNanoseconds(now: Int64) -> Int64 {
        now.intervalNumber(width: sliceNanoseconds) * sliceNanoseconds - lengthNanoseconds
    }
}

extension [WindowCompleteness] {
    /// What is missing from the windows of several rings together; complete where there is no ring.
    package static func combined(_ parts: [[WindowCompleteness]], windows: [WindowSpan]) -> [WindowCompleteness] {
        windows.enumerated().map { place, window in
            parts.reduce(into: WindowCompleteness(window: window, lost: 0, isComplete: true)) { sum, part in
                sum.lost &+= part[place].lost
                sum.isComplete = sum.isComplete && part[place].isComplete
            }
        }
    }
}
