internal import Glibc

/// Returns a number as people read it: three significant digits, nine places at most, and thousands apart; `-` for
/// none.
func figure(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "-" }
    let magnitude = abs(value)
    if magnitude >= 1000 { return grouped(Int(value.rounded())) }
    let exponent = magnitude > 0 ? Int(log10(magnitude).rounded(.down)) : 0
    return decimals(value, min(9, max(0, 2 - exponent)))
}

/// Returns a number with a fixed count of places after the point.
func decimals(_ value: Double, _ places: Int) -> String {
    let scale = (0..<places).reduce(1.0) { power, _ in power * 10 }
    let scaled = Int((abs(value) * scale).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % Int(scale))
    return "\(sign)\(scaled / Int(scale)).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
}

/// Returns a number with its thousands apart: `1,234,567`.
func grouped(_ value: Int) -> String {
    var digits = String(value.magnitude)
    var groups: [String] = []
    while digits.count > 3 {
        groups.insert(String(digits.suffix(3)), at: 0)
        digits.removeLast(3)
    }
    return (value < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
}
