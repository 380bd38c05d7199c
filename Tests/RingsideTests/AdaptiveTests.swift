import CRingside
import Glibc
import TestSupport
import Testing

/// Everything here is simulated, so a second does not take a second.
@Suite struct AdaptiveTests {
    private static let second: UInt64 = 1_000_000_000

    @Test(
        "a ceiling is held over any second within 10 %, from the first call on, at any rate above it",
        arguments: [100, 1000, 10_000] as [UInt32], [2.0, 30, 300])
    func held(ceiling: UInt32, factor: Double) {
        for (seed, arrival) in Arrival.allCases.enumerated() {
            var model = AdaptiveModel(ceiling: ceiling, seed: UInt64(seed))
            let rate = Double(ceiling) * factor
            let times = arrival.times(
                min(Int(rate * 3), 1_000_000), perSecond: rate, from: Self.second, seed: UInt64(seed))
            for time in times { model.call(at: time) }
            let held = Double(model.mostInASecond) / Double(ceiling)
            #expect(held <= 1.1, "\(arrival) \(factor)")
            // No more is left out than needed, once the first second's allowance is used.
            // With a ceiling of 100, one record is coarse: it moves N by several doublings.
            if times.last! > 2 * Self.second { #expect(held >= (ceiling == 100 ? 0.7 : 0.9), "\(arrival) \(factor)") }
        }
    }

    @Test("below the ceiling every call is written, also where they come in clusters", arguments: Arrival.allCases)
    func below(arrival: Arrival) {
        var model = AdaptiveModel(ceiling: 10_000, seed: 1)
        let times = arrival.times(40_000, perSecond: 8000, from: Self.second, seed: 2)
        #expect(times.allSatisfy { model.call(at: $0) == 1 })
        // The clock is read only when the ceiling might be met, not at each call.
        #expect(model.looks < times.count / 100)
    }

    @Test(
        "a burst after a quiet second is held over that second, and a second later every call is written again",
        .enabled(if: !isShortRun))
    func burst() {
        for seed in (0..<5 as Range<UInt64>).ordinarily(oneOf: 3) {
            var model = AdaptiveModel(ceiling: 5000, seed: seed)
            for time in Arrival.regular.times(100, perSecond: 100, from: Self.second, seed: 0) { model.call(at: time) }
            let burst = Arrival.random.times(1_500_000, perSecond: 3e6, from: 2 * Self.second, seed: seed)
            for time in burst { model.call(at: time) }
            #expect(Double(model.mostInASecond) <= 1.1 * 5000)
            #expect(model.state.n > 256)
            let after = Arrival.regular.times(8000, perSecond: 4000, from: burst.last! + 1, seed: 0)
            let weights = after.map { model.call(at: $0) }
            #expect(weights[4000...].allSatisfy { $0 == 1 })
            #expect(model.state.n == 1)
        }
    }

    @Test("while calls are left out the clock is read every 16th call, and beside that once a record at most")
    func looks() {
        var model = AdaptiveModel(ceiling: 10_000, seed: 3)
        for time in Arrival.regular.times(500_000, perSecond: 1e6, from: Self.second, seed: 0) { model.call(at: time) }
        #expect(model.looks <= model.calls / Int(RINGSIDE_ADAPTIVE_LOOK_EVERY) + model.records.count)
    }

    /// Calls come in waves, some metrics only in the waves. N changes with them, so any bias would add up.
    @Test("weights add up to the calls, in the waves and between them")
    func unbiased() {
        var model = AdaptiveModel(ceiling: 2000, seed: 4)
        var calls = (inWaves: 0, between: 0)
        var weights = (inWaves: UInt64(0), between: UInt64(0))
        var time = Self.second
        for wave in 0..<400 {
            for _ in 0..<4000 + wave % 7 {
                time += 250
                calls.inWaves += 1
                weights.inWaves += UInt64(model.call(at: time))
            }
            for _ in 0..<400 {
                time += 20_000
                calls.between += 1
                weights.between += UInt64(model.call(at: time))
            }
        }
        #expect(abs(Double(weights.inWaves) / Double(calls.inWaves) - 1) < 0.03)
        #expect(abs(Double(weights.between) / Double(calls.between) - 1) < 0.06)
    }

    /// A call that is written takes longer than one that is left out, so the clock depends on the draws. The reaction
    /// of N to that must not matter: every call counts 1 on average, given everything before it.
    @Test(
        "weights have no bias where the clock depends on what was written, in a tight loop, in bursts and at a pace",
        arguments: [
            (ceiling: 100_000, written: 2000, leftOut: 100, burst: 1_000_000, pause: 0),
            (ceiling: 20_000, written: 20_000, leftOut: 100, burst: 1_000_000, pause: 0),
            (ceiling: 100_000, written: 5000, leftOut: 50, burst: 700, pause: 1_000_000),
            (ceiling: 50_000, written: 900, leftOut: 30, burst: 3, pause: 4000),
            (ceiling: 50_000, written: 400, leftOut: 10, burst: 100_000, pause: 60_000_000),
        ] as [(ceiling: UInt32, written: UInt64, leftOut: UInt64, burst: Int, pause: UInt64)])
    func dependentClock(
        pattern: (ceiling: UInt32, written: UInt64, leftOut: UInt64, burst: Int, pause: UInt64)
    ) {
        for seed: UInt64 in 0..<2 {
            var model = AdaptiveModel(ceiling: pattern.ceiling, seed: seed)
            var (time, weights, variance) = (Self.second, 0.0, 0.0)
            let calls = 1_000_000
            for call in 1...calls {
                let weight = model.call(at: time)
                weights += Double(weight)
                variance += Double(model.lastN - 1)
                time += weight > 0 ? pattern.written : pattern.leftOut
                if call % pattern.burst == 0 { time += pattern.pause }
            }
            #expect(abs(weights - Double(calls)) <= 4 * variance.squareRoot(), "\(pattern) \(weights)")
            #expect(variance > 0)
        }
    }

    @Test(
        "a weighted p99 is within 2 % of the exact one over a million calls, also of work that repeats itself",
        .enabled(if: !isShortRun),
        arguments: [nil, 2, 5, 16, 64, 50, 1000, 4096].ordinarily(oneOf: 4))
    func percentile(period: Int?) {
        var generator = SeededGenerator(seed: UInt64(period ?? 0))
        let pattern = (0..<(period ?? 1_000_000)).map { _ in -log(Double.random(in: 1e-9..<1, using: &generator)) }
        let values = (0..<1_000_000).map { pattern[$0 % pattern.count] }
        var model = AdaptiveModel(ceiling: 50_000, seed: 5)
        var kept: [(value: Double, weight: UInt32)] = []
        for (value, time) in zip(values, Arrival.regular.times(1_000_000, perSecond: 2e5, from: Self.second, seed: 0)) {
            let weight = model.call(at: time)
            if weight > 0 { kept.append((value, weight)) }
        }
        #expect(kept.count < 300_000 && model.weights > 990_000 && model.weights < 1_010_000)
        // Repeated work has steps that are wide if its period is short, and the p99 may lie at the edge of a step. The
        // draws decide a rank to about 0.02 %.
        let sorted = values.sorted()
        let exact = (sorted[989_499] * 0.98)...(sorted[990_499] * 1.02)
        kept.sort { $0.value < $1.value }
        var rank = UInt64(Double(model.weights) * 0.99)
        let found = kept.first { kept in
            defer { rank -= min(rank, UInt64(kept.weight)) }
            return rank <= UInt64(kept.weight)
        }
        #expect(exact.contains(found?.value ?? 0), "\(exact)")
    }

    @Test("a clock that stands still or goes back only thins more")
    func brokenClock() {
        var model = AdaptiveModel(ceiling: 1000, seed: 6)
        for call in 0..<200_000 { model.call(at: Self.second + UInt64(max(0, 100 - call))) }
        #expect(model.state.n == 32768 && model.records.count < 150)
        for call in 0..<100_000 { model.call(at: 3 * Self.second + UInt64(call) * 2_000_000) }
        #expect(model.state.n == 1)
    }
}
