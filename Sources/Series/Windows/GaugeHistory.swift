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
    }

    private struct Track: Sendable {
        let span: WindowSpan
        private var slices: [Slice] = []
        /// Where the newest slice ends.
        private var sliceEnd = Int64.min

        init(span: WindowSpan) { self.span = span }

        mutating func note(_ value: Double, peak: Double, now: Int64) {
            if now < sliceEnd {
                let last = slices[slices.count - 1]
                slices[slices.count - 1].minimum = min(last.minimum, value)
                slices[slices.count - 1].maximum = max(last.maximum, value, peak)
                return
            }
            let number = now.intervalNumber(width: span.sliceNanoseconds)
            slices.append(Slice(number: number, minimum: value, maximum: max(value, peak)))
            sliceEnd = (number + 1) * span.sliceNanoseconds
            let first = firstSlice(now: now)
            while let oldest = slices.first, oldest.number < first { slices.removeFirst() }
        }

        private func firstSlice(now: Int64) -> Int64 {
            span.startNanoseconds(at: now) / span.sliceNanoseconds
        }

        func window(last: Double, now: Int64) -> GaugeWindow {
            let first = firstSlice(now: now)
            return slices.lazy.filter { $0.number >= first }.reduce(
                into: GaugeWindow(window: span, minimum: last, maximum: last, last: last)
            ) { window, slice in
                window.minimum = min(window.minimum, slice.minimum)
                window.maximum = max(window.maximum, slice.maximum)
            }
        }
    }
}
