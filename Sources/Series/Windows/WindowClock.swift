internal import Sketch

/// An object with the times of records that are in no window because their time is still to come.
protocol FutureRecordHolder: AnyObject {
    var ahead: FutureLog { get }

    /// Removes times that no window can show any more.
    func forgetFuture(before time: Int64)
}

/// The time of the windows of all series of a bot, and the range of times that they include.
///
/// It is advanced once for all series. Each series advances its windows to this time when it receives records or is
/// read. So a series that is never read costs nothing as time passes.
///
/// Thread rule: that of the series.
package final class WindowClock {
    let options: SeriesOptions
    private(set) var now: Int64
    /// The beginning of the longest window.
    private(set) var startNanoseconds: Int64
    /// The times that belong to windows now, for code that checks every record.
    let bounds: UnsafeMutablePointer<TimeBounds>
    /// The holders of records whose time is still to come.
    private var waiting: [any FutureRecordHolder] = []

    package init(options: SeriesOptions, now: Int64) {
        self.options = options
        self.now = now
        startNanoseconds = options.startNanoseconds(at: now)
        bounds = .allocate(capacity: 1)
        bounds.initialize(to: options.bounds(from: startNanoseconds, at: now))
    }

    deinit { bounds.deallocate() }

    /// Advances to a time. A time before the last one is ignored.
    func advance(to now: Int64) {
        guard now > self.now else { return }
        let width = options.finestSliceNanoseconds
        if now.intervalNumber(width: width) != self.now.intervalNumber(width: width) {
            startNanoseconds = options.startNanoseconds(at: now)
        }
        self.now = now
        bounds.pointee = options.bounds(from: startNanoseconds, at: now)
    }

    /// Whether there are records whose time is still to come.
    var hasAhead: Bool { !waiting.isEmpty }

    /// Registers a holder of records whose time is still to come.
    func note(ahead holder: any FutureRecordHolder) { waiting.append(holder) }

    /// Removes times that no window can show any more, and holders without any time.
    func forgetAhead() {
        guard !waiting.isEmpty else { return }
        let reach = now - options.longestReachNanoseconds
        for holder in waiting { holder.forgetFuture(before: reach) }
        waiting.removeAll { $0.ahead.isEmpty }
    }
}

extension SeriesOptions {
    fileprivate func startNanoseconds(at now: Int64) -> Int64 {
        windows.reduce(Int64.max) { min($0, $1.startNanoseconds(at: now)) }
    }

    fileprivate func bounds(from start: Int64, at now: Int64) -> TimeBounds {
        let (sum, overflowed) = now.addingReportingOverflow(futureToleranceNanoseconds)
        return TimeBounds(
            from: start, through: overflowed ? .max : sum, sliceNanoseconds: finestSliceNanoseconds)
    }
}
