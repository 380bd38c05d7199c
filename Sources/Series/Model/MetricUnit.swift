/// The unit of a metric's exported values, and the suffix of its name.
///
/// Bots register the first six units. Rules convert into the others. Each word for a unit is a case, because
/// OpenMetrics requires the declared unit to be the suffix of the name.
package enum MetricUnit: String, CaseIterable, Sendable {
    case none = ""
    case seconds
    case bytes
    case ratio
    case usd
    case bps

    case nanoseconds, nanos, nsec, ns
    case microseconds, micros, usec, us
    case milliseconds, millis, msec, ms
    case sec, secs, s
    case minutes, hours, days
    case bits
    case kilobytes, megabytes, gigabytes, terabytes
    case kibibytes, mebibytes, gibibytes, tebibytes
    case kib, mib, gib, tib
    case percent, pct, permille
}

extension MetricUnit {
    /// Finds the unit that is the suffix of a name, or precedes `_total`; nil if there is none. `x_per_s` is a rate and
    /// has no unit.
    package init?(suffixOf name: String) {
        guard let word = Self.suffix(of: name), let unit = MetricUnit(rawValue: word), unit != .none else { return nil }
        self = unit
    }

    /// A suffix that stands for more than one unit.
    package struct Ambiguity: Sendable {
        /// For example `mb`.
        package let suffix: String
        package let meanings: [MetricUnit]
    }

    /// Returns the meanings of the suffix of a name; nil if it has at most one.
    package static func ambiguity(ofSuffixOf name: String) -> Ambiguity? {
        guard let word = suffix(of: name), let meanings = ambiguous[word] else { return nil }
        return Ambiguity(suffix: word, meanings: meanings)
    }

    private static let ambiguous: [String: [MetricUnit]] = [
        "kb": [.kilobytes, .kibibytes], "mb": [.megabytes, .mebibytes], "gb": [.gigabytes, .gibibytes],
        "tb": [.terabytes, .tebibytes],
    ]

    private static func suffix(of name: String) -> String? {
        let words = name.split(separator: "_", omittingEmptySubsequences: false)
        let stem = words.last == "total" ? words.dropLast() : words[...]
        guard let word = stem.last, let before = stem.dropLast().last, before != "per" else { return nil }
        return String(word)
    }

    /// Returns the factor that converts values in this unit to another one; nil if the two measure different
    /// quantities.
    package func scale(to other: MetricUnit) -> UnitScale? {
        if self == other { return .identity }
        guard let own = measure, let wanted = other.measure, own.quantity == wanted.quantity else { return nil }
        return UnitScale(
            numerator: own.numerator * wanted.denominator, denominator: own.denominator * wanted.numerator)
    }

    private enum Quantity {
        case time, size, share
    }

    /// The quantity that it measures, and its size in the quantity's base unit (second, byte, whole). Money cannot be
    /// converted.
    private var measure: (quantity: Quantity, numerator: UInt64, denominator: UInt64)? {
        switch self {
        case .none, .usd: nil
        case .seconds, .sec, .secs, .s: (.time, 1, 1)
        case .milliseconds, .millis, .msec, .ms: (.time, 1, 1000)
        case .microseconds, .micros, .usec, .us: (.time, 1, 1_000_000)
        case .nanoseconds, .nanos, .nsec, .ns: (.time, 1, 1_000_000_000)
        case .minutes: (.time, 60, 1)
        case .hours: (.time, 3600, 1)
        case .days: (.time, 86400, 1)
        case .bytes: (.size, 1, 1)
        case .bits: (.size, 1, 8)
        case .kilobytes: (.size, 1000, 1)
        case .megabytes: (.size, 1_000_000, 1)
        case .gigabytes: (.size, 1_000_000_000, 1)
        case .terabytes: (.size, 1_000_000_000_000, 1)
        case .kibibytes, .kib: (.size, 1 << 10, 1)
        case .mebibytes, .mib: (.size, 1 << 20, 1)
        case .gibibytes, .gib: (.size, 1 << 30, 1)
        case .tebibytes, .tib: (.size, 1 << 40, 1)
        case .ratio: (.share, 1, 1)
        case .percent, .pct: (.share, 1, 100)
        case .permille: (.share, 1, 1000)
        case .bps: (.share, 1, 10000)
        }
    }
}
