import Glibc
import TestSupport

extension SeededGenerator {
    /// Returns a number from the uniform distribution in (0, 1].
    mutating func unit() -> Double { Double(next() >> 11 + 1) * 0x1p-53 }

    mutating func normal() -> Double { sqrt(-2 * log(unit())) * cos(2 * .pi * unit()) }

    /// Returns a positive normal double, uniform in its bits.
    mutating func anyPositive() -> Double { Double(bitPattern: UInt64.random(in: 1 << 52..<0x7FF << 52, using: &self)) }
}

/// Families of values that quantiles are tested on.
enum Shape: String, CaseIterable {
    case lognormal, wideLognormal, bimodal, pareto, uniform, constant, powersOfTwo, nearEdges, signed, wholeRange,
        mostlyZero

    func values(_ count: Int, seed: UInt64) -> [Double] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { value($0, &random) }
    }

    private func value(_ position: Int, _ random: inout SeededGenerator) -> Double {
        switch self {
        case .lognormal: 20e-6 * exp(0.5 * random.normal())
        case .wideLognormal: 1e-4 * exp(3 * random.normal())
        case .bimodal: (position % 5 == 0 ? 3e-3 : 40e-6) * exp(0.1 * random.normal())
        case .pareto: 1e-5 * pow(random.unit(), -1 / 1.1)
        case .uniform: random.unit()
        case .constant: 0.1
        case .powersOfTwo: scalbn(1, Int32.random(in: -30...30, using: &random))
        case .nearEdges: Self.nearEdge(&random)
        case .signed: 10 * random.normal()
        case .wholeRange: pow(10, Double.random(in: -19...19, using: &random))
        case .mostlyZero: position % 4 == 0 ? random.normal() : 0
        }
    }

    private static func nearEdge(_ random: inout SeededGenerator) -> Double {
        let edge = exp2(Double(Int.random(in: -2000...2000, using: &random)) / 128)
        return [edge, edge.nextUp, edge.nextDown].randomElement(using: &random)!
    }
}
