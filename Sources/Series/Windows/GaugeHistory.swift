/// The values that a gauge took, as the collector saw them at its drains.
///
/// A peak between two drains is seen all the same where it was the highest of the bot's life, for the bot keeps that
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

    /// Notes what a drain found.
    ///
    /// - Parameters:
    ///   - value: what the gauge is set to.
    ///   - highest: the highest value of this life.
    ///   - now: the time of the drain, in nanoseconds.
    mutating func sample(_ value: Number, highest: Number, now: Int64) {
        let peak = reading.map { highest.double > $0.highest.double ? highest.double : value.double } ?? value.double
        for place in windows.indices { windows[place].note(value.double, peak: peak, now: now) }
        reading = Reading(value: value, highest: highest)
    }

    /// Notes a value that the gauge took between two drains.
    mutating func note(_ value: Number, at time: Int64) {
        for place in windows.indices { windows[place].note(value.double, peak: value.double, now: time) }
    }

    /// The windows, in the order of the configuration; empty before the first sample.
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
        /// Its last value, and when it took that.
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
        /// The latest value before those, and when the gauge took it.
        private var earlier: (value: Double, time: Int64)?
        /// Slices before this one are no window's any more.
        private var firstKept = Int64.min

        init(span: WindowSpan) { self.span = span }

        /// Changes mostly come in the order of time; a late one goes where it belongs.
        mutating func note(_ value: Double, peak: Double, now time: Int64) {
            let number = time.intervalNumber(width: span.sliceNanoseconds)
            guard number >= firstKept else { return noteEarlier(value, at: time) }
            var place = slices.count
            while place > 0, slices[place - 1].number > number { place -= 1 }
            if place > 0, slices[place - 1].number == number {
                slices[place - 1].note(value, peak: peak, at: time)
            } else {
                slices.insert(Slice(number: number, value, peak: peak, at: time), at: place)
                if place == slices.count - 1 { forget(now: time) }
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

        /// The least and greatest value since the window began, that in force at its beginning included.
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
