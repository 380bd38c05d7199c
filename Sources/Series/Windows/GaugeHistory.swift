/// The values of a gauge, as the collector saw them at its drains.
///
/// A peak between two drains is seen if it was the highest of the bot's life, because the bot stores the highest value
/// itself.
///
/// Thread rule: one thread at a time. Memory: some 2 KB with the standard windows.
struct GaugeHistory: Sendable {
    private var windows: [Track]
    /// The last value and the highest of this life; nil before the first sample.
    private(set) var reading: Reading?

    struct Reading: Sendable, Equatable {
        var value: Number
        var highest: Number
    }

    init(options: SeriesOptions) {
        windows = options.windows.map(Track.init)
    }

    /// Records the reading of a drain.
    ///
    /// - Parameters:
    ///   - value: The present value.
    ///   - highest: The highest value of this life.
    ///   - now: The time of the drain, in nanoseconds.
    mutating func sample(_ value: Number, highest: Number, now: Int64) {
        let peak = reading.map { highest.double > $0.highest.double ? highest.double : value.double } ?? value.double
        for index in windows.indices { windows[index].note(value.double, peak: peak, now: now) }
        reading = Reading(value: value, highest: highest)
    }

    /// Records a value that the gauge had between two drains.
    mutating func note(_ value: Number, at time: Int64) {
        for index in windows.indices { windows[index].note(value.double, peak: value.double, now: time) }
    }

    /// Returns the windows, in the order of the configuration; empty before the first sample.
    func windowSnapshots(now: Int64) -> [GaugeWindow] {
        guard let last = reading?.value.double else { return [] }
        return windows.map { $0.window(last: last, now: now) }
    }
}

extension GaugeHistory {
    private struct Slice: Sendable {
        var number: Int64
        var minimum: Double
        var maximum: Double
        /// Its last value, and the time of that value.
        var last: Double
        var lastTime: Int64

        init(number: Int64, _ value: Double, peak: Double, at time: Int64) {
            (self.number, minimum, maximum, last, lastTime) = (number, value, max(value, peak), value, time)
        }

        mutating func note(_ value: Double, peak: Double, at time: Int64) {
            minimum = min(minimum, value)
            maximum = max(maximum, value, peak)
            guard time >= lastTime else { return }
            (last, lastTime) = (value, time)
        }
    }

    private struct Track: Sendable {
        let span: WindowSpan
        /// Ascending by number.
        private var slices: [Slice] = []
        /// The latest value before those slices, and its time.
        private var earlier: (value: Double, time: Int64)?
        /// Slices before this one are in no window any more.
        private var firstKept = Int64.min

        init(span: WindowSpan) { self.span = span }

        /// Adds a value. Values mostly come in the order of time; a late one is inserted where it belongs.
        mutating func note(_ value: Double, peak: Double, now time: Int64) {
            let number = time.intervalNumber(width: span.sliceNanoseconds)
            guard number >= firstKept else { return noteEarlier(value, at: time) }
            var index = slices.count
            while index > 0, slices[index - 1].number > number { index -= 1 }
            if index > 0, slices[index - 1].number == number {
                slices[index - 1].note(value, peak: peak, at: time)
            } else {
                slices.insert(Slice(number: number, value, peak: peak, at: time), at: index)
                if index == slices.count - 1 { forget(now: time) }
            }
        }

        private mutating func noteEarlier(_ value: Double, at time: Int64) {
            if earlier.map({ time >= $0.time }) ?? true { earlier = (value, time) }
        }

        private mutating func forget(now: Int64) {
            firstKept = max(firstKept, firstSlice(now: now))
            while let oldest = slices.first, oldest.number < firstKept {
                noteEarlier(oldest.last, at: oldest.lastTime)
                slices.removeFirst()
            }
        }

        private func firstSlice(now: Int64) -> Int64 {
            span.startNanoseconds(at: now) / span.sliceNanoseconds
        }

        /// Returns the least and greatest value since the window began, including the value at its beginning.
        func window(last: Double, now: Int64) -> GaugeWindow {
            let first = firstSlice(now: now)
            var window = GaugeWindow(window: span, minimum: last, maximum: last, last: last)
            var inForce = earlier?.value
            for slice in slices {
                guard slice.number >= first else {
                    inForce = slice.last
                    continue
                }
                window.minimum = min(window.minimum, slice.minimum)
                window.maximum = max(window.maximum, slice.maximum)
            }
            if let inForce {
                window.minimum = min(window.minimum, inForce)
                window.maximum = max(window.maximum, inForce)
            }
            return window
        }
    }
}
