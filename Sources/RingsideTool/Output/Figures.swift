internal import Exposition
internal import Glibc

/// Numbers, durations and times as people read them.
enum Figures {
    /// Returns a number with 0 to 9 decimals.
    static func fixed(_ value: Double, decimals: Int) -> String {
        guard value.isFinite else { return value.nonFiniteText }
        let factor = (0..<decimals).reduce(1) { power, _ in power * 10 }
        let scaled = (value * Double(factor)).rounded()
        guard let whole = Int64(exactly: scaled) else { return "\(value)" }
        let (quotient, remainder) = whole.magnitude.quotientAndRemainder(dividingBy: UInt64(factor))
        let fraction = decimals == 0 ? "" : "." + padded(remainder, digits: decimals)
        return (whole < 0 ? "-" : "") + "\(quotient)\(fraction)"
    }

    /// Returns a number with ten digits at most, as `%.10g` of printf(3) writes it: enough for cents in millions.
    static func real(_ value: Double) -> String {
        guard value.isFinite else { return value.nonFiniteText }
        var text = [CChar](repeating: 0, count: 32)
        let length = withVaList([value]) { vsnprintf(&text, text.count, "%.10g", $0) }
        return String(decoding: text.prefix(Int(length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns a duration to the nanosecond, in the unit that gives one to three digits before the point: `12.345 us`.
    static func duration(seconds: Double) -> String {
        guard seconds.isFinite else { return seconds.nonFiniteText }
        let units: [(name: String, seconds: Double, decimals: Int)] = [
            ("s", 1, 9), ("ms", 1e-3, 6), ("us", 1e-6, 3), ("ns", 1e-9, 1),
        ]
        var index = units.firstIndex { seconds.magnitude >= $0.seconds } ?? units.count - 1
        // A value that is rounded to a thousand of its unit is shown as one of the next: 1.000000 ms, not 1000.000 us.
        let factor = (0..<units[index].decimals).reduce(1.0) { power, _ in power * 10 }
        let digits = (seconds.magnitude / units[index].seconds * factor).rounded()
        if index > 0, digits >= 1000 * factor { index -= 1 }
        let unit = units[index]
        return "\(fixed(seconds / unit.seconds, decimals: unit.decimals)) \(unit.name)"
    }

    /// Returns a number with its unit: a time as ``duration(seconds:)`` writes it, else the number and the unit's name.
    /// Returns `-` for nil.
    ///
    /// - Parameter decimals: The decimals of a number that is no time; nil for all that it has, ten digits at most.
    static func value(_ number: Double?, unit: String, decimals: Int? = nil) -> String {
        guard let number else { return "-" }
        if unit == "seconds" { return duration(seconds: number) }
        return (decimals.map { fixed(number, decimals: $0) } ?? real(number))
            + (unit.isEmpty ? "" : " \(unit.printable)")
    }

    /// Returns a duration in its two largest units: `12s`, `3m12s`, `2h05m`, `4d03h`.
    static func age(seconds: Double) -> String {
        let whole = UInt64(max(0, min(seconds, 1e15)))
        switch whole {
        case ..<60: return "\(whole)s"
        case ..<3600: return "\(whole / 60)m\(padded(whole % 60, digits: 2))s"
        case ..<86_400: return "\(whole / 3600)h\(padded(whole / 60 % 60, digits: 2))m"
        default: return "\(whole / 86_400)d\(padded(whole / 3600 % 24, digits: 2))h"
        }
    }

    /// Returns a rate with one decimal below a hundred, and with none above.
    static func rate(_ perSecond: Double) -> String { fixed(perSecond, decimals: perSecond < 100 ? 1 : 0) }

    /// Returns a time in UTC by RFC 3339 with nine digits of a second: `2025-11-22T10:53:01.123456789Z`.
    static func time(unixNanoseconds: Int64) -> String {
        let (seconds, nanoseconds) = flooredSeconds(unixNanoseconds)
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        return text(parts, nanoseconds) + "Z"
    }

    /// Returns a time in UTC by RFC 3339, to the second: `2025-11-22T10:53:01Z`. A time that no clock shows is cut.
    static func time(unixSeconds: Double) -> String {
        time(unixNanoseconds: Int64(max(0, min(unixSeconds, 9e9)) * 1e9)).prefix(19) + "Z"
    }

    /// Returns a time in this machine's time zone by RFC 3339: `2025-11-22T11:53:01.123456789+01:00`.
    static func localTime(unixNanoseconds: Int64) -> String {
        let (seconds, nanoseconds) = flooredSeconds(unixNanoseconds)
        var time = time_t(seconds)
        var parts = tm()
        localtime_r(&time, &parts)
        let (hours, minutes) = (parts.tm_gmtoff.magnitude / 60).quotientAndRemainder(dividingBy: 60)
        let sign = parts.tm_gmtoff < 0 ? "-" : "+"
        return text(parts, nanoseconds)
            + "\(sign)\(padded(UInt64(hours), digits: 2)):\(padded(UInt64(minutes), digits: 2))"
    }

    /// Returns a time of day in this machine's time zone: `14:03:59`; `-` for a time that no clock shows.
    static func clock(unixSeconds: Double) -> String {
        guard var time = time_t(exactly: unixSeconds.rounded(.down)) else { return "-" }
        var parts = tm()
        localtime_r(&time, &parts)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(UInt64(max(0, $0)), digits: 2) }
            .joined(separator: ":")
    }

    private static func text(_ parts: tm, _ nanoseconds: Int64) -> String {
        let date = [(Int(parts.tm_year) + 1900, 4), (Int(parts.tm_mon) + 1, 2), (Int(parts.tm_mday), 2)]
        let clock = [(Int(parts.tm_hour), 2), (Int(parts.tm_min), 2), (Int(parts.tm_sec), 2)]
        func joined(_ parts: [(Int, Int)], _ separator: String) -> String {
            parts.map { padded(UInt64(max(0, $0.0)), digits: $0.1) }.joined(separator: separator)
        }
        return "\(joined(date, "-"))T\(joined(clock, ":")).\(padded(UInt64(nanoseconds), digits: 9))"
    }

    private static func flooredSeconds(_ nanoseconds: Int64) -> (seconds: Int64, nanoseconds: Int64) {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? (quotient - 1, remainder + 1_000_000_000) : (quotient, remainder)
    }

    /// Returns a word in hexadecimal with all 16 digits.
    static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func padded(_ value: UInt64, digits: Int) -> String {
        let text = "\(value)"
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
