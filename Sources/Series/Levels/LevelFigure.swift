internal import Glibc

/// The kind of a figure: it defines the scale of its values and the least noise.
enum LevelFigure: Sendable, Equatable {
    /// A quantile of a histogram, in its unit. A quantile of 0 or below has no position.
    case quantile
    /// The values of a histogram, or the increase of a counter, in a minute.
    case rate
    /// A gauge's value.
    case gauge

    /// Positions are whole multiples of an octave divided by this (0.27 %).
    static let partsOfOctave = 256.0
    /// The least noise of a quantile or a rate, in octaves: 5 %.
    static let leastNoise = 0.0704
    /// A rate is judged if the usual or the present number in a minute is at least this.
    static let fewestOfRate = 20.0

    /// Returns a value's position on a scale on which half and double have equal distance. Returns nil if the value is
    /// not finite, or if it is a quantile of 0 or below.
    ///
    /// Half a value is added to a rate, so that zero has a position too. A gauge may be 0 or below. The position of its
    /// value v is sign(v) log2(1 + |v|) (J. B. W. Webber, "A bi-symmetric log transformation for wide-range data",
    /// Measurement Science and Technology 24, 2013).
    func position(of value: Double) -> Int16? {
        guard value.isFinite else { return nil }
        let octaves: Double
        switch self {
        case .quantile:
            guard value > 0 else { return nil }
            octaves = log2(value)
        case .rate: octaves = log2(max(value, 0) + 0.5)
        case .gauge: octaves = value < 0 ? -log2(1 - value) : log2(1 + value)
        }
        return Int16((max(-127, min(127, octaves)) * Self.partsOfOctave).rounded())
    }

    /// Returns the value at a position; see `position(of:)`.
    func value(at position: Double) -> Double {
        let octaves = position / Self.partsOfOctave
        switch self {
        case .quantile: return exp2(octaves)
        case .rate: return max(0, exp2(octaves) - 0.5)
        case .gauge: return octaves < 0 ? 1 - exp2(-octaves) : exp2(octaves) - 1
        }
    }

    /// Returns the least standard deviation that is assumed at a position, in parts of an octave.
    ///
    /// A rate of n a minute varies by 1/sqrt(n) if only chance makes it vary (Poisson). A gauge must leave its range by
    /// a factor of 2.
    func leastNoise(at position: Double) -> Double {
        switch self {
        case .quantile: return Self.leastNoise * Self.partsOfOctave
        case .rate:
            let chance = 1.4427 / max(1, exp2(position / Self.partsOfOctave)).squareRoot()
            return (Self.leastNoise * Self.leastNoise + chance * chance).squareRoot() * Self.partsOfOctave
        case .gauge: return Self.partsOfOctave / 3
        }
    }

    /// Whether the last hour alone may judge it. A gauge wanders, so only earlier days show its range.
    var isJudgedByRecent: Bool { self != .gauge }
}
