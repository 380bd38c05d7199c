/// The times at which a bot's counters were sampled, as far as windows need them: the last sample of each slice of each
/// window, and the last one before the window.
///
/// All counters of a bot share them. So a sample costs nothing for a counter that has not moved.
///
/// Thread rule: one thread at a time.
final class SampleTimes {
    /// The windows of the configuration. A window of one second follows if none of them is that.
    private(set) var tracks: [Track]
    /// The number of windows of the configuration.
    let windowCount: Int
    /// The index of the window that a rate is read from.
    let secondIndex: Int
    /// The greatest number of samples of all windows together.
    let capacity: Int
    /// The time of the last sample.
    private(set) var last = Int64.min
    /// The windows of a counter that did not move in any of them. All such counters share them.
    let stillWindows: [CounterWindow]

    // One second by tenths. "The last whole second" is the last ten complete tenths and the current one.
    static let second = WindowSpan(name: "rate", lengthNanoseconds: 1_000_000_000, sliceNanoseconds: 100_000_000)

    init(options: SeriesOptions) {
        windowCount = options.windows.count
        secondIndex = options.windows.firstIndex { $0.hasSlices(of: Self.second) } ?? windowCount
        let spans = options.windows + (secondIndex == windowCount ? [Self.second] : [])
        var tracks: [Track] = []
        for span in spans { tracks.append(Track(span: span, offset: tracks.last.map { $0.offset + $0.capacity } ?? 0)) }
        capacity = tracks.reduce(0) { $0 + $1.capacity }
        self.tracks = tracks
        stillWindows = options.windows.map { CounterWindow(window: $0, increase: 0, rate: 0) }
    }

    /// The time of the sample from which the longest window counts.
    var start: Int64 { tracks.reduce(.max) { min($0, $1.firstTime) } }

    /// Adds a sample at a time. A time before the last one is replaced by the last one.
    func note(now: Int64) {
        last = max(now, last)
        for index in tracks.indices { tracks[index].note(last) }
    }

    /// The samples of one window. They are numbered in the order of time; a sample has the number of the one that it replaced
    /// in its slice.
    struct Track {
        let span: WindowSpan
        /// The greatest number of samples.
        let capacity: Int
        /// The number of samples of the windows before this one, at most.
        let offset: Int
        /// Ascending. The first one is the last before the window, or no sample at all, at the least time.
        private var times: [Int64] = [.min]
        /// The number of the first one.
        private(set) var first = 0
        /// The end of the slice of the last one.
        private var sliceEnd = Int64.min

        init(span: WindowSpan, offset: Int) {
            self.span = span
            self.offset = offset
            // The whole slices, the current one, the sample before them, and a new one before the oldest is removed.
            capacity = Int(span.lengthNanoseconds / span.sliceNanoseconds) + 3
        }

        mutating func note(_ time: Int64) {
            if time < sliceEnd {
                times[times.count - 1] = time
                return
            }
            times.append(time)
            sliceEnd = (time.intervalNumber(width: span.sliceNanoseconds) + 1) * span.sliceNanoseconds
            let start = span.startNanoseconds(at: time)
            let over = times.indices.dropFirst().prefix { $0 < times.count - 1 && times[$0] <= start }.count
            times.removeFirst(over)
            first += over
        }

        /// The number of the last sample.
        var last: Int { first + times.count - 1 }

        /// The time of the first one; the least time if there is none before the window.
        var firstTime: Int64 { times[0] }

        /// Returns the number of the sample that was noted at a time; the first number if that sample was removed.
        func number(of time: Int64) -> Int {
            var index = times.count - 1
            while index > 0, times[index - 1] >= time { index -= 1 }
            return first + index
        }
    }
}

extension WindowSpan {
    /// Returns whether it has the same slices, whatever its name is.
    fileprivate func hasSlices(of other: WindowSpan) -> Bool {
        lengthNanoseconds == other.lengthNanoseconds && sliceNanoseconds == other.sliceNanoseconds
    }
}
