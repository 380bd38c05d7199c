/// The lowest and highest sampled value of one gauge in the slices of every window. Some 2 KB with the standard windows.
struct GaugeHistory {
    private struct Extremes {
        var minimum = Double.infinity
        var maximum = -Double.infinity
    }

    private var windows: [SliceRing<Extremes>]
    private var last: Double?

    init(options: SeriesOptions, now: Int64) {
        windows = options.windows.map { SliceRing(span: $0, now: now, filledWith: Extremes()) }
    }

    /// Takes note of the value at `now`.
    mutating func sample(_ value: Double, now: Int64) {
        last = value
        for index in windows.indices {
            windows[index].advance(to: now, filling: Extremes())
            let current = windows[index].current
            windows[index][current].minimum = min(windows[index][current].minimum, value)
            windows[index][current].maximum = max(windows[index][current].maximum, value)
        }
    }

    /// The extremes of each window in which there was a sample.
    var readings: [GaugeWindow] {
        guard let last else { return [] }
        return windows.compactMap { window in
            let minimum = window.all.reduce(Double.infinity) { min($0, $1.minimum) }
            let maximum = window.all.reduce(-Double.infinity) { max($0, $1.maximum) }
            guard minimum <= maximum else { return nil }
            return GaugeWindow(window: window.span, minimum: minimum, maximum: maximum, last: last)
        }
    }
}
