/// What is missing from the windows of one lane's rings: gaps on the time axis, and how many records each swallowed.
///
/// A gap touches every window that one of its records may have been in: from the last time that is surely before it to the
/// one at which the reader saw that they were lost, by the reader's clock, for what the records around it say proves nothing.
/// All windows end at now, so what decides is where the gap ends. Gaps are kept by the finest slice of their end, which tells
/// windows apart exactly, for all windows begin where such a slice does; so memory is bounded by the longest window, whatever
/// is lost. A gap that no window can see any more is forgotten.
///
/// Thread rule: one thread at a time. Cost: a few nanoseconds a gap, and one pass over the slices with gaps a question.
package struct LossLog: Sendable {
    private let options: SeriesOptions
    /// Ascending by slice.
    private var gaps: [Gap] = []

    private struct Gap: Sendable {
        /// The number of the finest slice that holds the gap's end.
        var slice: Int64
        var lost: UInt64
    }

    package init(options: SeriesOptions) { self.options = options }

    /// Notes records lost between two times; with none lost, that the lane was not watched or was told not to emit.
    ///
    /// - Parameters:
    ///   - lost: how many.
    ///   - from: a time that is surely before the gap, in nanoseconds.
    ///   - to: one that is surely after it. What lies ahead of now ends now, once `settle` says when that is.
    package mutating func add(lost: UInt64, from: Int64, to: Int64) {
        add(lost, inSlice: slice(of: max(from, to)))
    }

    private func slice(of time: Int64) -> Int64 { time.intervalNumber(width: options.finestSliceNanoseconds) }

    private mutating func add(_ lost: UInt64, inSlice slice: Int64) {
        // Gaps come nearly always in the order of time.
        var place = gaps.count
        while place > 0 && gaps[place - 1].slice > slice { place -= 1 }
        if place > 0 && gaps[place - 1].slice == slice {
            gaps[place - 1].lost &+= lost
        } else {
            gaps.insert(Gap(slice: slice, lost: lost), at: place)
        }
    }

    /// Lets go of what no window reaches any more, and ends at `now` what says that it ends later: times are foreign,
    /// and a gap in the far future would be seen for ever.
    package mutating func settle(now: Int64) {
        let current = slice(of: now)
        while let last = gaps.last, last.slice > current {
            gaps.removeLast()
            add(last.lost, inSlice: current)
        }
        let reach = options.windows.map { slice(of: $0.startNanoseconds(at: now)) }.min() ?? .max
        gaps.removeFirst(gaps.firstIndex { $0.slice >= reach } ?? gaps.count)
    }

    /// What is missing from each window that ends at `now`, in the order of the configuration.
    package func completeness(now: Int64) -> [WindowCompleteness] {
        options.windows.map { window in
            let reach = slice(of: window.startNanoseconds(at: now))
            let inside = gaps.lazy.filter { $0.slice >= reach }
            return WindowCompleteness(
                window: window, lost: inside.reduce(0) { $0 &+ $1.lost }, isComplete: inside.isEmpty)
        }
    }
}

extension WindowSpan {
    /// Where the window that ends at `now` begins: its whole slices lie before the one that is filling.
    func startNanoseconds(at now: Int64) -> Int64 {
        now.intervalNumber(width: sliceNanoseconds) * sliceNanoseconds - lengthNanoseconds
    }
}

extension [WindowCompleteness] {
    /// The same, where something is missing from all of them.
    var incomplete: [WindowCompleteness] {
        map { WindowCompleteness(window: $0.window, lost: $0.lost, isComplete: false) }
    }

    /// The windows of several rings as one: lost in any, complete in all.
    func combined(with other: [WindowCompleteness]) -> [WindowCompleteness] {
        zip(self, other).map {
            WindowCompleteness(
                window: $0.window, lost: $0.lost &+ $1.lost, isComplete: $0.isComplete && $1.isComplete,
                isWhole: $0.isWhole && $1.isWhole)
        }
    }
}
