internal import Glibc

/// How volatile the market is.
enum Regime: Int, CaseIterable, Sendable {
    case calm, normal, storm
}

/// Derives the regime from the returns of closed candles, by an exponentially weighted volatility.
///
/// The volatility must pass a border by a tenth before the regime changes, so that it does not flap.
struct RegimeDetector {
    /// Volatility of a one-minute return, in basis points, that divides calm from normal and normal from storm.
    static let borders = (calm: 1.0, storm: 3.5)

    private(set) var regime = Regime.normal
    private var lastClose: Price?
    private var variance: Double?

    /// Adds a closed candle. Returns the previous regime, if it changed.
    mutating func add(_ candle: Candle) -> Regime? {
        defer { lastClose = candle.close }
        guard let last = lastClose else { return nil }
        let change = (Double(candle.close) / Double(last) - 1) * 10_000
        let smoothed = variance.map { $0 * 0.9 + change * change * 0.1 } ?? change * change
        variance = smoothed
        let old = regime
        regime = Self.next(after: old, volatility: smoothed.squareRoot())
        return regime == old ? nil : old
    }

    static func next(after regime: Regime, volatility: Double) -> Regime {
        let up = 1.1
        let down = 0.9
        switch regime {
        case .calm: return volatility > borders.calm * up ? (volatility > borders.storm * up ? .storm : .normal) : .calm
        case .storm:
            return volatility < borders.storm * down ? (volatility < borders.calm * down ? .calm : .normal) : .storm
        case .normal where volatility > borders.storm * up: return .storm
        case .normal where volatility < borders.calm * down: return .calm
        case .normal: return .normal
        }
    }
}
