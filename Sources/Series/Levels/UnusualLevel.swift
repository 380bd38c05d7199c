internal import Glibc

/// Tells when a figure that is read every few seconds has left the level that it usually has.
///
/// The level is the median of the figure's logarithm over a trailing horizon, and its noise the median absolute deviation
/// from that, scaled to a normal's standard deviation (P. J. Rousseeuw and C. Croux, "Alternatives to the median absolute
/// deviation", JASA 1993): both stand firm while up to half of the horizon is out of the ordinary. A reading is far when it
/// is further from the median than `farDeviations` times the noise; the figure is unusual once `farReadings` in a row are
/// far to the same side, and usual again once as many are not. Readings enter the horizon whether far or not, so that a new
/// level that stays is the usual one after half a horizon.
///
/// Logarithms, because latencies and rates change by factors: half and double are equally far. The noise has a floor, so
/// that a figure that has never moved is not unusual for its first small step.
///
/// Thread rule: one thread at a time. Cost of a reading: two searches and half a walk of the horizon, below 1 us. Memory: 1 KB once it
/// was read.
struct UnusualLevel: Sendable {
    struct Options: Sendable {
        /// How many readings the horizon holds: 10 min of one each 5 s.
        var horizonReadings = 120
        /// How many readings there must have been before any is judged: 5 min.
        var warmUpReadings = 60
        var farDeviations = 3.0
        var farReadings = 3
        /// The least noise, as a factor: a figure that varies by less is taken to vary by 5 %.
        var noiseFloorFactor = 1.05
    }

    enum State: Hashable, Sendable {
        /// Too few readings yet.
        case warmingUp
        case usual
        case high
        case low
    }

    private(set) var state = State.warmingUp
    private let options: Options
    // Four bytes hold a logarithm to a millionth: series are many.
    private var horizon: [Float] = []
    private var oldest = 0
    /// The horizon, ascending.
    private var sorted: [Float] = []
    /// What the last readings said instead of the state, and how many in a row.
    private var candidate = State.usual
    private var run = 0

    init(options: Options = Options()) { self.options = options }

    /// The median of the horizon, in the figure's unit; nil while warming up.
    var usualLevel: Double? { state == .warmingUp ? nil : Double(exp2(median)) }

    /// Takes a reading.
    ///
    /// - Parameter figure: above zero and finite; others are ignored, as is a moment without a reading.
    mutating func read(_ figure: Double) {
        guard figure > 0, figure.isFinite else { return }
        let value = Float(log2(figure))
        if horizon.count >= options.warmUpReadings {
            judge(side(of: value))
        }
        remember(value)
    }

    private mutating func remember(_ value: Float) {
        if horizon.count < options.horizonReadings {
            horizon.append(value)
        } else {
            sorted.remove(at: place(of: horizon[oldest]))
            horizon[oldest] = value
            oldest = (oldest + 1) % options.horizonReadings
        }
        sorted.insert(value, at: place(of: value))
    }

    /// Where the first reading stands that is not below `value`.
    private func place(of value: Float) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private var median: Float { (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2 }

    /// The median of the distances from the median: a walk from the middle to both sides, the nearer one first.
    private var medianDeviation: Float {
        let middle = median
        var (below, above) = (sorted.count / 2 - 1, sorted.count / 2)
        var distance: Float = 0
        for _ in 0...sorted.count / 2 {
            let down = below >= 0 ? middle - sorted[below] : .infinity
            let up = above < sorted.count ? sorted[above] - middle : .infinity
            distance = min(down, up)
            if down < up { below -= 1 } else { above += 1 }
        }
        return distance
    }

    /// 1 far above the median, -1 far below, 0 neither.
    private func side(of value: Float) -> Int {
        let middle = median
        // 1.4826: what the median absolute deviation of a normal is multiplied by to give its standard deviation.
        let noise = max(1.4826 * medianDeviation, Float(log2(options.noiseFloorFactor)))
        guard (value - middle).magnitude > Float(options.farDeviations) * noise else { return 0 }
        return value > middle ? 1 : -1
    }

    /// The state changes once so many readings in a row say the same other one.
    private mutating func judge(_ side: Int) {
        if state == .warmingUp { state = .usual }
        let seen: State = side == 0 ? .usual : side > 0 ? .high : .low
        if seen == state {
            run = 0
        } else if seen == candidate {
            run += 1
        } else {
            (candidate, run) = (seen, 1)
        }
        if run >= options.farReadings { (state, run) = (candidate, 0) }
    }
}
