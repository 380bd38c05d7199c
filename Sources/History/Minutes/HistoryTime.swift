internal import Glibc

/// A time as people and programs write it.
package enum HistoryTime {
    package static let expectation =
        "Unix seconds, an RFC 3339 time such as 2026-01-31T12:00:00Z, now, or a time before now such as -1h"

    /// Returns the seconds since the Unix epoch of a time that a person or a program wrote.
    ///
    /// - Parameters:
    ///   - text: `1700000000`, `1700000000.5`, `2026-01-31T12:00:00Z` (or with an offset such as `+01:00`, or
    ///     `2026-01-31`, which is midnight UTC), `now`, `-90s`, `-15m`, `-1h`, `-7d`, `-2w`.
    ///   - now: seconds since the Unix epoch.
    /// - Returns: nil if the text has none of these forms.
    package static func seconds(_ text: String, now: Double) -> Double? {
        if text == "now" { return now }
        if text.hasPrefix("-"), let back = durationSeconds(String(text.dropFirst())) { return now - back }
        if let seconds = Double(text) {
            return seconds.isFinite && seconds >= 0 && seconds < 1e11 ? seconds : nil
        }
        return rfc3339(text)
    }

    private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

    /// Returns the seconds of `90s`, `15m`, `1h`, `7d`, `2w`, or a bare number of seconds; nil for anything else.
    package static func durationSeconds(_ text: String) -> Double? {
        guard let last = text.last else { return nil }
        let unit = units[last]
        let number = unit == nil ? text : String(text.dropLast())
        guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(number),
            value.isFinite, value < 1e10
        else { return nil }
        return value * (unit ?? 1)
    }

    private static func rfc3339(_ text: String) -> Double? {
        // A `+` in a URL means a blank, and offsets are often sent that way. So a blank counts as `+`.
        let bytes = Array(text.utf8)
        func digits(_ start: Int, _ count: Int) -> Int? {
            guard start + count <= bytes.count else { return nil }
            let part = bytes[start..<start + count]
            guard part.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
            return part.reduce(0) { $0 * 10 + Int($1 - 48) }
        }
        func isAt(_ place: Int, _ wanted: String) -> Bool { place < bytes.count && wanted.utf8.contains(bytes[place]) }
        guard let year = digits(0, 4), isAt(4, "-"), let month = digits(5, 2), isAt(7, "-"), let day = digits(8, 2),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        if bytes.count == 10 { return midnight(&parts, day: day) }
        guard isAt(10, "Tt "), let hour = digits(11, 2), isAt(13, ":"), let minute = digits(14, 2), isAt(16, ":"),
            let second = digits(17, 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        var place = 19
        var fraction = 0.0
        if isAt(place, ".") {
            let digits = bytes[(place + 1)...].prefix { $0 >= 48 && $0 <= 57 }
            guard !digits.isEmpty else { return nil }
            fraction = Double("0." + String(decoding: digits, as: UTF8.self)) ?? 0
            place += 1 + digits.count
        }
        var offset = 0
        if isAt(place, "Zz") {
            place += 1
        } else if isAt(place, "+- "), let hours = digits(place + 1, 2), isAt(place + 3, ":"),
            let minutes = digits(place + 4, 2), hours < 24, minutes < 60
        {
            offset = (hours * 60 + minutes) * (isAt(place, "-") ? -60 : 60)
            place += 6
        } else {
            return nil
        }
        guard place == bytes.count, let day = midnight(&parts, day: day) else { return nil }
        return day + Double(hour * 3600 + minute * 60 + second - offset) + fraction
    }

    /// Returns the midnight (UTC) at which a day begins; nil for a day that the month does not have, or before 1970.
    private static func midnight(_ parts: inout tm, day: Int) -> Double? {
        let time = timegm(&parts)
        return Int(parts.tm_mday) == day && time >= 0 ? Double(time) : nil
    }
}
