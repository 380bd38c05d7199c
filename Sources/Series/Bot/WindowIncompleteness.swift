/// The reasons why windows of one instrument may be incomplete, apart from losses of its lane's rings.
///
/// Thread rule: that of its instrument.
struct WindowIncompleteness: Sendable {
    /// The time up to which values were missed. All windows end now, so this one time shows the windows that lack
    /// values.
    private var unseenUntil: Int64?
    private var blurs = UncertainIntervals()

    /// The latest time that a reason concerns; nil if there is none.
    var latest: Int64? {
        guard let end = blurs.end else { return unseenUntil }
        return max(end, unseenUntil ?? end)
    }

    /// Records that values may be missing, up to a time.
    mutating func noteUnseen(until time: Int64) { unseenUntil = max(unseenUntil ?? time, time) }

    /// Records a change at an unknown moment between two times.
    mutating func noteBlur(from: Int64, to: Int64, _ options: SeriesOptions) {
        blurs.forget(before: to - options.longestReachNanoseconds)
        blurs.add(from: from, to: to)
    }

    /// Returns the completeness of the windows, in the order of the configuration.
    func completeness(_ options: SeriesOptions, now: Int64) -> [WindowCompleteness] {
        options.windows.map { window in
            let start = window.startNanoseconds(at: now)
            let isSeen = unseenUntil.map { $0 < start } ?? true
            return WindowCompleteness(
                window: window, lost: 0, isComplete: isSeen && !blurs.blursWindow(from: start), isWhole: true)
        }
    }
}

extension SeriesOptions {
    /// The longest time between two reads, in nanoseconds, for which the time of an event between them counts as known.
    /// A window's edge has no better resolution for events without a time of their own.
    package var sharpNanoseconds: Int64 { 2 * finestSliceNanoseconds }

    /// The length of the longest window, including its slice that is not complete yet.
    var longestReachNanoseconds: Int64 {
        windows.reduce(0) { max($0, $1.lengthNanoseconds + $1.sliceNanoseconds) }
    }
}

extension FutureLog {
    /// Returns the completeness of the windows, in the order of the configuration.
    func completeness(_ options: SeriesOptions, now: Int64) -> [WindowCompleteness] {
        options.windows.map { window in
            let records = records(from: window.startNanoseconds(at: now), to: now)
            return WindowCompleteness(window: window, lost: records, isComplete: records == 0, isWhole: true)
        }
    }
}

extension LaneMetric {
    /// Returns whether its windows may be incomplete for a reason that its lane does not have. Reasons from before all windows
    /// do not count.
    func hasDoubts(now: Int64) -> Bool {
        let start = now - lane.options.longestReachNanoseconds
        if let latest = disabled.latest, latest >= start { return true }
        if let latest = doubt.latest, latest >= start { return true }
        return recorder.map { !$0.ahead.isEmpty } ?? false
    }

    /// Returns the completeness of the windows by the values of its cell, without regard to records.
    func cellCompleteness(now: Int64) -> [WindowCompleteness] {
        let options = lane.options
        let known = disabled.completeness(options, now: now).combined(with: doubt.completeness(options, now: now))
        return lane.hasOldCells(now: now) ? known.incomplete : known
    }

    /// Returns the completeness of its windows, without losses of its lane's rings.
    func ownCompleteness(now: Int64) -> [WindowCompleteness] {
        let options = lane.options
        let known = disabled.completeness(options, now: now).combined(with: doubt.completeness(options, now: now))
        guard let recorder, !recorder.ahead.isEmpty else { return known }
        return known.combined(with: recorder.ahead.completeness(options, now: now))
    }
}
