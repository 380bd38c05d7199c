import Sketch
import TestSupport
import Testing

/// Tests the content of a sketch that is kept across a restart.
@Suite struct SketchContentTests {
    @Test("a sketch restored from another's content equals that sketch, and continues as it would", arguments: 0..<50)
    func roundTrip(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var original = ExponentialSketch()
        func insert(into sketch: inout ExponentialSketch, _ random: inout SeededGenerator) {
            for _ in 0..<Int.random(in: 0...300, using: &random) {
                let exponent = Int.random(in: seed % 5 == 0 ? -1074...1023 : -30...10, using: &random)
                let power = Double(sign: .plus, exponent: exponent, significand: 1)
                let sign = Bool.random(using: &random) ? 1.0 : -1.0
                let scale = Bool.random(using: &random) ? 1 : Double.random(in: 1..<2, using: &random)
                let weight = UInt32.random(in: 1...200_000, using: &random)
                sketch.insert(sign * power * scale, weight: weight)
            }
            for value in [0, -.infinity, .infinity, -0.0] where Bool.random(using: &random) { sketch.insert(value) }
        }
        insert(into: &original, &random)
        let content = original.content()
        #expect(content.isValid)
        var copy = ExponentialSketch(content)
        #expect(copy.content() == content && copy.count == original.count)
        var (a, b) = (random, random)
        insert(into: &original, &a)
        insert(into: &copy, &b)
        #expect(copy.content() == original.content() && copy.count == original.count)
    }

    @Test("impossible content is refused")
    func invalid() {
        var content = SketchContent(
            buckets: SketchSnapshot(
                scale: 7, positive: [.init(index: 3, count: 1), .init(index: 4, count: 1)], negative: [], zeroCount: 0))
        #expect(content.isValid)
        content.buckets.positive.swapAt(0, 1)
        #expect(!content.isValid)
        content.buckets.positive = [.init(index: 1024 * 128 + 2, count: 1)]
        #expect(!content.isValid)
        content.buckets.positive = []
        content.buckets.scale = 6
        #expect(!content.isValid)
    }
}
