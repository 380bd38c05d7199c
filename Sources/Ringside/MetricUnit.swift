internal import CRingside

/// The unit of the exported values. It is also the suffix of the metric's name.
public enum MetricUnit: String, Sendable, CaseIterable {
    case none = ""
    case seconds
    case bytes
    /// A fraction of the whole, 0 to 1.
    case ratio
    case usd
    /// Basis points, hundredths of a per cent.
    case bps

    var code: UInt8 {
        let unit =
            switch self {
            case .none: RINGSIDE_UNIT_NONE
            case .seconds: RINGSIDE_UNIT_SECONDS
            case .bytes: RINGSIDE_UNIT_BYTES
            case .ratio: RINGSIDE_UNIT_RATIO
            case .usd: RINGSIDE_UNIT_USD
            case .bps: RINGSIDE_UNIT_BPS
            }
        return UInt8(unit.rawValue)
    }
}
