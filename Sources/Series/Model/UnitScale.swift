/// The factor of the values of a series that exports show in another unit.
///
/// All values of a series are converted by ``scaled(_:)``, which keeps their order: an edge, a quantile and the
/// greatest value that were consistent before stay consistent.
package struct UnitScale: Hashable, Sendable, CustomStringConvertible {
    /// In most scales the numerator or the denominator is 1, so that a value is rounded once.
    private let numerator: Double
    private let denominator: Double
    private let isDecimal: Bool

    package static let identity = UnitScale(numerator: 1, denominator: 1)

    init(numerator: UInt64, denominator: UInt64) {
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        self.init(Double(numerator / a), Double(denominator / a))
    }

    /// - Precondition: The factor is finite and above 0.
    package init(factor: Double) {
        precondition(factor.isFinite && factor > 0)
        // 0.001 is not exact in binary, but 1000 is. A division by 1000 is exact more often than a multiplication by
        // 0.001.
        let inverse = (1 / factor).rounded()
        if factor < 1, inverse <= 0x1p53, 1 / inverse == factor { self.init(1, inverse) } else { self.init(factor, 1) }
    }

    private init(_ numerator: Double, _ denominator: Double) {
        (self.numerator, self.denominator) = (numerator, denominator)
        isDecimal = min(numerator, denominator) == 1 && Self.powersOfTen.contains(max(numerator, denominator))
    }

    package var isIdentity: Bool { numerator == denominator }

    package var factor: Double { numerator / denominator }

    /// `multiplied by 1000` or `divided by 1024`.
    package var description: String {
        let parts = [("multiplied", numerator), ("divided", denominator)].filter { $0.1 != 1 }
        return parts.map { word, number in
            "\(word) by \(UInt64(exactly: number).map { "\($0)" } ?? "\(number)")"
        }.joined(separator: " and ")
    }

    /// The powers of ten that are exact as doubles.
    private static let powersOfTen: [Double] = (0...22).reduce(into: []) { powers, _ in
        powers.append((powers.last ?? 0.1) * 10)
    }

    /// Returns the value times the factor. Finite values stay finite, only 0 becomes 0, and the order of values is
    /// kept. Cost: some 10 ns.
    package func scaled(_ value: Double) -> Double {
        guard value.isFinite, value != 0, !isIdentity else { return value }
        let product = value * numerator / denominator
        let magnitude = min(max(product.magnitude, .leastNonzeroMagnitude), .greatestFiniteMagnitude)
        return Double(signOf: value, magnitudeOf: isDecimal ? Self.settled(magnitude) : magnitude)
    }

    /// Returns the number of 15 digits next to a product with a power of ten if only rounding separates the two:
    /// 0.0000003 s are 0.3 us, and not 0.30000000000000004.
    ///
    /// Numbers of 15 digits are more than four doubles apart, so the order of two products never changes.
    private static func settled(_ value: Double) -> Double {
        // From 10^15 on, such numbers are whole. Below 10^-29 nobody reads the digits.
        guard value >= 1e-29, value < 1e15 else { return value }
        // The power of ten that gives 15 or 16 digits before the point: log10(2) is 0.30103.
        var power = 14 - Int((Double(value.exponent) * 0.30103).rounded(.down))
        var digits = times(value, tenTo: power)
        if digits >= 1e15 {
            power -= 1
            digits = times(value, tenTo: power)
        }
        digits.round()
        // Both operands are exact, so the quotient is the nearest double. For a small value, the conversion of its text
        // is the nearest double.
        let near =
            power <= 22 ? digits / powersOfTen[power] : Double("\(UInt64(digits))e-\(power)") ?? value
        return (near - value).magnitude <= 2 * value.ulp ? near : value
    }

    /// - Parameter power: From 0 to 44.
    private static func times(_ value: Double, tenTo power: Int) -> Double {
        power <= 22 ? value * powersOfTen[power] : value * 1e22 * powersOfTen[power - 22]
    }

    /// Returns the product. A whole number stays whole if the factor is whole and the product fits.
    package func scaled(_ number: Number) -> Number {
        guard !isIdentity else { return number }
        if denominator == 1 {
            switch number {
            case .unsigned(let value):
                if let factor = UInt64(exactly: numerator) {
                    let (product, isOver) = value.multipliedReportingOverflow(by: factor)
                    if !isOver { return .unsigned(product) }
                }
            case .signed(let value):
                if let factor = Int64(exactly: numerator) {
                    let (product, isOver) = value.multipliedReportingOverflow(by: factor)
                    if !isOver { return .signed(product) }
                }
            case .real: break
            }
        }
        return .real(scaled(number.double))
    }
}
