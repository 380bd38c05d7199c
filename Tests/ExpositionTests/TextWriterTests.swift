import Series
import TestSupport
import Testing

@testable import Exposition

@Suite struct TextWriterTests {
    /// Returns numbers of all sizes. Some repeat, as quantiles do, and some share a place of the writer's table.
    private func numbers(seed: UInt64) -> [Double] {
        var random = SeededGenerator(seed: seed)
        let repeated = (0..<5_000).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
        let odd = [
            0, -0.0, 1, -1, 0.5, 1e15, -1e15, 999_999_999_999_999, Double.leastNonzeroMagnitude,
            -1.7976931348623157e308, 1e-5, 123456.75,
        ]
        return (0..<20_000).map { _ in
            Bool.random(using: &random) ? odd.randomElement(using: &random)! : repeated.randomElement(using: &random)!
        }
    }

    @Test(
        "A number's text is the same at its first and at its thousandth time", arguments: 1...3 as ClosedRange<UInt64>)
    func repeatedNumbers(seed: UInt64) {
        var writer = TextWriter(expectedBytes: 0)
        var expected: [UInt8] = []
        for number in numbers(seed: seed) {
            writer.append(finite: number)
            writer.append(UInt8(ascii: " "))
            expected.append(finite: number)
            expected.append(UInt8(ascii: " "))
        }
        #expect(writer.finish() == expected)
    }

    @Test("An edge's text is the same whenever it is written", arguments: 1...3 as ClosedRange<UInt64>)
    func edges(seed: UInt64) {
        var writer = TextWriter(expectedBytes: 0)
        var expected: [UInt8] = []
        for edge in numbers(seed: seed) + (-80...80).map({ Double(sign: .plus, exponent: $0, significand: 1) }) {
            writer.append(lastEdge: edge)
            expected.append(edge: edge)
            expected.append("\"} ")
        }
        #expect(writer.finish() == expected)
    }

    @Test("Integers keep all their digits")
    func integers() {
        var writer = TextWriter(expectedBytes: 0)
        var expected = ""
        var values: [UInt64] = [0, 9, 10, .max, .max - 1, 1 << 63]
        for power in sequence(first: UInt64(1), next: { $0 < 10_000_000_000_000_000_000 ? $0 * 10 : nil }) {
            values += [power - 1, power, power + 1]
        }
        for value in values {
            writer.append(decimal: value)
            writer.append(Number.signed(Int64(bitPattern: value)))
            expected += "\(value)\(Int64(bitPattern: value))"
        }
        #expect(String(decoding: writer.finish(), as: UTF8.self) == expected)
    }

    @Test("A page grows beyond what was expected, and a text may be longer than the writer's block")
    func sizes() {
        var writer = TextWriter(expectedBytes: 16)
        var expected = ""
        for length in [0, 1, 15_999, 16_384, 16_385, 100_000, 3] {
            let text = String(repeating: "x", count: length)
            writer.append(text)
            writer.append(Array(text.utf8))
            writer.append(literal: "\n")
            expected += text + text + "\n"
        }
        #expect(String(decoding: writer.finish(), as: UTF8.self) == expected)
    }
}
