/// The texts of the edges that nearly all classic buckets have, made once: powers of two of either sign.
private enum EdgeText {
    static let exponents = -64...64
    static let positive = texts(sign: .plus)
    static let negative = texts(sign: .minus)

    private static func texts(sign: FloatingPointSign) -> [[UInt8]] {
        exponents.map {
            var text: [UInt8] = []
            text.append(anyEdge: Double(sign: sign, exponent: $0, significand: 1))
            return text
        }
    }
}

extension [UInt8] {
    /// An upper edge as Prometheus itself writes one, in every form alike, so that a series is the same whichever was asked
    /// for: `0.5`, `4.0`, from a million on `1e+06`. A power of two costs no more than a copy.
    ///
    /// - Precondition: The number is finite.
    mutating func append(edge value: Double) {
        guard value.significandBitPattern == 0, EdgeText.exponents.contains(Int(value.exponent)) else {
            return append(anyEdge: value)
        }
        let place = Int(value.exponent) - EdgeText.exponents.lowerBound
        append(contentsOf: value < 0 ? EdgeText.negative[place] : EdgeText.positive[place])
    }

    fileprivate mutating func append(anyEdge value: Double) {
        guard value.magnitude >= 1e6 else { return append(finite: value) }
        // Shortest digits, in whichever notation.
        let text = value.magnitude.description
        let parts = text.split(separator: "e")
        let digits = parts[0].filter { $0 != "." }
        let point = parts[0].prefix { $0 != "." }.count
        let exponent = (parts.count > 1 ? Int(parts[1])! : 0) + point - 1
        var significant = Substring(digits)
        while significant.count > 1, significant.last == "0" { significant.removeLast() }
        if value < 0 { append(UInt8(ascii: "-")) }
        append(String(significant.prefix(1)))
        if significant.count > 1 { append("." + significant.dropFirst()) }
        append("e+")
        if exponent < 10 { append(UInt8(ascii: "0")) }
        append(decimal: exponent)
    }
}
