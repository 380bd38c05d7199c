/// Why windows of one instrument may not be what they say, beside what its lane's rings lost.
///
/// Thread rule: that of its instrument.
struct WindowDoubt: Sendable {
    /// Up to when something of it was not seen at all. All windows end at now, so that this one time tells which of them lack it.
    private var unseenUntil: Int64?
    private var blurs = BlurLog()

    /// Whether there is any.
    var isKnown: Bool { unseenUntil != nil || !blurs.isEmpty }

    /// Notes that something of it may be missing, up to a time.
    mutating func noteUnseen(until time: Int64) { unseenUntil = max(unseenUntil ?? time, time) }

    /// Notes that something happened between two times, nobody knows when.
    mutating func noteBlur(from: Int64, to: Int64, _ options: SeriesOptions) {
        blurs.forget(before: to - options.longestReachNanoseconds)
        blurs.add(from: from, to: to)
    }

    /// In the order of the configuration.
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
    /// How far apart two reads may be before what came between them counts as blurred, in nanoseconds: a window's edge is that
    /// sharp and no sharper for what has no time of its own.
    package var sharpNanoseconds: Int64 { 2 * finestSliceNanoseconds }

    /// How far back the window reaches that reaches back furthest, its slice that is filling included.
    var longestReachNanoseconds: Int64 {
        windows.reduce(0) { max($0, $1.lengthNanoseconds + $1.sliceNanoseconds) }
    }
}

extension FutureLog {
    /// What windows lack of it, in the order of the configuration.
    func completeness(_ options: SeriesOptions, now: Int64) -> [WindowCompleteness] {
        options.windows.map { window in
            let records = records(from: window.startNanoseconds(at: now), to: now)
            return WindowCompleteness(window: window, lost: records, isComplete: records == 0, isWhole: true)
        }
    }
}

extension LaneInstrument {
    /// Whether anything is known against its windows that its lane does not know.
    var hasDoubts: Bool { silence.isKnown || doubt.isKnown || feed.map { !$0.ahead.isEmpty } ?? false }

    /// What is missing from the windows of what its cell says, whatever became of records.
    func cellCompleteness(now: Int64) -> [WindowCompleteness] {
        let options = lane.options
        let known = silence.completeness(options, now: now).combined(with: doubt.completeness(options, now: now))
        return lane.hasOldCells(now: now) ? known.incomplete : known
    }

    /// What is missing from its windows, without what its lane's rings lost.
    func ownCompleteness(now: Int64) -> [WindowCompleteness] {
        let options = lane.options
        let known = silence.completeness(options, now: now).combined(with: doubt.completeness(options, now: now))
        guard let feed, !feed.ahead.isEmpty else { return known }
        return known.combined(with: feed.ahead.completeness(options, now: now))
    }
}
