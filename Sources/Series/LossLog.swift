/// When records of one ring were lost: which windows are incomplete, and by how much.
///
/// A gap is known to lie between the last valid time before it and the first one after; every window that this interval
/// touches is incomplete, and shows all that the gap lost.
package struct LossLog {
    private struct Gap {
        var from: Int64
        var to: Int64
        var lost: UInt64
    }

    /// Ordered by the time at which they were noted.
    private var gaps: [Gap] = []

    /// Gaps kept at most; beyond, the two oldest become one.
    private static let limit = 4096

    package init() {}

    /// Notes `lost` records lost between two times; with none lost, that the interval was not watched.
    package mutating func add(lost: UInt64, from: Int64, to: Int64) {
        gaps.append(Gap(from: min(from, to), to: max(from, to), lost: lost))
        guard gaps.count > Self.limit else { return }
        gaps[1] = Gap(
            from: min(gaps[0].from, gaps[1].from), to: max(gaps[0].to, gaps[1].to), lost: gaps[0].lost &+ gaps[1].lost)
        gaps.removeFirst()
    }

    /// What is known of each window at `now`.
    package func completeness(_ windows: [WindowSpan], now: Int64) -> [WindowCompleteness] {
        windows.map { window in
            let touching = gaps.filter { $0.to >= window.startNanoseconds(at: now) }
            return WindowCompleteness(
                window: window, lost: touching.reduce(0) { $0 &+ $1.lost }, isComplete: touching.isEmpty)
        }
    }

    /// Lets go of what no window reaches any more.
    package mutating func forget(_ windows: [WindowSpan], now: Int64) {
        guard !gaps.isEmpty else { return }
        let reach = windows.reduce(now) { min($0, $1.startNanoseconds(at: now)) }
        gaps.removeAll { $0.to < reach }
    }
}

extension WindowSpan {
    /// Where the window that is shown at `now` begins: its whole slices lie before the one that is filling.
    func startNanoseconds(at now: Int64) -> Int64 {
        now.intervalNumber(width: sliceNanoseconds) * sliceNanoseconds - lengthNanoseconds
    }
}

extension [WindowCompleteness] {
    /// The windows of several rings as one: lost in any, complete in all.
    func combined(with other: [WindowCompleteness]) -> [WindowCompleteness] {
        zip(self, other).map {
            WindowCompleteness(
                window: $0.window, lost: $0.lost &+ $1.lost, isComplete: $0.isComplete && $1.isComplete)
        }
    }
}
