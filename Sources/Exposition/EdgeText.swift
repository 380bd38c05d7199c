/// The texts of the edges that nearly all classic buckets have, made once: powers of two of either sign.
private enum EdgeText {
    static let exponents = -64...64
    static let positive = texts(sign: .plus)
    static let negative = texts(sign: .minus)

    private static func texts(sign: FloatingPointSign) -> [[UInt8]] {
        exponents.map {
            var text: [UInt8] = []
            text.append(finite: Double(sign: sign, exponent: $0, significand: 1))
            return text
        }
    }
}

extension [UInt8] {
    /// What `append(finite:)` writes, at the price of a copy where the number is a power of two.
    mutating func append(edge value: Double) {
        guard value.significandBitPattern == 0, EdgeText.exponents.contains(Int(value.exponent)) else {
            return append(finite: value)
        }
        let place = Int(value.exponent) - EdgeText.exponents.lowerBound
        append(contentsOf: value < 0 ? EdgeText.negative[place] : EdgeText.positive[place])
    }
}
