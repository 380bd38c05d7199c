import TestSupport
import Testing

@testable import Sketch

@Suite struct SumAccumulatorTests {
    @Test("Whole units are summed as integers: a million ticks of odd sizes lose nothing")
    func integers() {
        var random = SeededGenerator(seed: 1)
        var sum = SumAccumulator(valuePerUnit: 1 / 2_999_999_773.0)
        var exact: Int64 = 0
        for _ in 0..<1_000_000 {
            let (ticks, weight) = (
                Int64.random(in: 0...5_000_000, using: &random), UInt32.random(in: 1...10, using: &random)
            )
            sum.add(units: ticks, weight: weight)
            exact += ticks * Int64(weight)
        }
        #expect(sum.value == Double(exact) * (1 / 2_999_999_773.0))
    }

    @Test("The order in which whole units come does not matter")
    func order() {
        let ticks = (0..<1_000).map { Int64($0 * $0 % 977) }
        var (up, down) = (SumAccumulator(valuePerUnit: 0.1), SumAccumulator(valuePerUnit: 0.1))
        for tick in ticks { up.add(units: tick, weight: 3) }
        for tick in ticks.reversed() { down.add(units: tick, weight: 3) }
        #expect(up.value == down.value)
    }

    @Test("Each clock epoch counts with the value of its own unit")
    func epochs() {
        var sum = SumAccumulator(valuePerUnit: 0.5)
        sum.add(units: 10, weight: 1)
        sum.beginEpoch(valuePerUnit: 0.25)
        sum.add(units: 10, weight: 2)
        var other = SumAccumulator(valuePerUnit: 2)
        other.add(units: 1, weight: 1)
        sum.merge(other)
        sum.add(0.125)
        #expect(sum.value == 5 + 5 + 2 + 0.125)
    }

    @Test("Units that overflow 64 bits keep their size")
    func overflow() {
        var sum = SumAccumulator()
        for _ in 0..<1_000 { sum.add(units: .max, weight: 65_535) }
        #expect(abs(sum.value / (0x1p63 * 65_535_000) - 1) < 1e-12)
        for _ in 0..<1_000 { sum.add(units: .min, weight: 65_535) }
        #expect(abs(sum.value) < 0x1p63)
    }

    @Test("Plain numbers are summed with compensation: small ones beside large ones are not lost")
    func compensation() {
        var sum = SumAccumulator()
        sum.add(1e16)
        for _ in 0..<1_000 { sum.add(1) }
        sum.add(-1e16)
        #expect(sum.value == 1_000)
        var merged = SumAccumulator()
        for _ in 0..<1_000 {
            var part = SumAccumulator()
            part.add(0.1, weight: 10)
            merged.merge(part)
        }
        #expect(merged.value == 1_000)
    }

    @Test("A sum beyond the range of doubles is infinite and stays so; one of both signs is no number")
    func beyondRange() {
        var sum = SumAccumulator()
        for _ in 0..<3 { sum.add(.greatestFiniteMagnitude, weight: 7) }
        sum.add(-1)
        #expect(sum.value == .infinity)
        var negative = SumAccumulator()
        negative.add(-.greatestFiniteMagnitude, weight: 2)
        #expect(negative.value == -.infinity)
        sum.merge(negative)
        #expect(sum.value.isNaN)
    }
}
