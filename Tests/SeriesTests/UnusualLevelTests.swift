@testable import Series
import Glibc
import TestSupport
import Testing

/// What a bot's p99 or rate looks like, read every 5 s.
private struct SimulatedBot {
    private var random: SeededGenerator
    /// Values in one window.
    let values: Int
    /// From a share of the values, 0 to 1, to the value that is greater than these.
    let quantile: @Sendable (Double) -> Double
    var factor = 1.0

    init(seed: UInt64, values: Int, _ quantile: @escaping @Sendable (Double) -> Double) {
        random = SeededGenerator(seed: seed)
        self.values = values
        self.quantile = quantile
    }

    private mutating func uniform() -> Double { (Double(random.next() >> 11) + 0.5) * 0x1p-53 }

    private mutating func normal() -> Double { sqrt(-2 * log(uniform())) * cos(2 * .pi * uniform()) }

    /// The sum of `count` exponentials, by one draw or two (G. Marsaglia and W. W. Tsang, "A simple method for generating
    /// gamma variables", ACM TOMS 2000).
    private mutating func sumOfExponentials(_ count: Int) -> Double {
        let d = Double(count) - 1.0 / 3
        while true {
            let x = normal()
            let cubeRoot = 1 + x / sqrt(9 * d)
            guard cubeRoot > 0 else { continue }
            let v = cubeRoot * cubeRoot * cubeRoot
            if log(uniform()) < 0.5 * x * x + d - d * v + d * log(v) { return d * v }
        }
    }

    /// The p99 of that many values, without drawing them: the share of a distribution below its k-th smallest of n values is
    /// distributed as Beta(k, n - k + 1), and a Beta is made of sums of exponentials.
    mutating func p99() -> Double {
        let above = values / 100
        let upper = sumOfExponentials(above + 1)
        let lower = sumOfExponentials(values - above)
        return quantile(lower / (lower + upper)) * factor
    }

    /// Values that arrived in a window: as good as Poisson.
    mutating func count() -> Double {
        max(1, Double(values) + sqrt(Double(values)) * normal()) * factor
    }
}

/// The value that a standard normal exceeds with probability 1 - p, for p around 0.99: four steps of Newton's, from the p99 of a
/// normal, each of which doubles the digits.
@Sendable private func normalQuantile(_ p: Double) -> Double {
    var value = 2.326
    for _ in 0..<4 {
        let density = exp(-0.5 * value * value) / (2 * .pi).squareRoot()
        value -= (0.5 * erfc(-value / 2.0.squareRoot()) - p) / density
    }
    return value
}

@Suite struct UnusualLevelTests {
    private static let readingsOfADay = 86_400 / 5

    /// Shapes of latencies: one hump, a long tail, two humps of which the second holds the p99.
    private static let shapes: [(name: String, quantile: @Sendable (Double) -> Double)] = [
        ("lognormal", { exp(0.5 * normalQuantile($0)) * 20e-6 }),
        ("Pareto", { 10e-6 * pow(1 - $0, -1 / 2.5) }),
        ("two humps", { $0 < 0.95 ? 10e-6 * (1 + $0) : 200e-6 * (1 + 4 * ($0 - 0.95)) }),
    ]

    @Test("on stationary data a series gives at most one false alarm a day", arguments: 0..<3, [200, 20_000])
    func stationary(shape: Int, values: Int) {
        var alarms = 0
        let days = 1
        for day in 0..<days {
            var bot = SimulatedBot(
                seed: UInt64(1 + day + 10 * shape + values), values: values, Self.shapes[shape].quantile)
            var (p99, rate) = (UnusualLevel(), UnusualLevel())
            for _ in 0..<Self.readingsOfADay {
                let before = (p99.state, rate.state)
                p99.read(bot.p99())
                rate.read(bot.count())
                for (state, old) in [(p99.state, before.0), (rate.state, before.1)] where state != old {
                    if state == .high || state == .low { alarms += 1 }
                }
            }
        }
        #expect(alarms <= days, "\(Self.shapes[shape].name): \(alarms) in \(days) days")
    }

    @Test("a doubled p99 is found within 30 s", arguments: 0..<2, [1_000, 20_000])
    func doubled(shape: Int, values: Int) {
        var found = 0
        let trials = 200
        for trial in 0..<trials {
            var bot = SimulatedBot(seed: UInt64(1000 + trial), values: values, Self.shapes[shape].quantile)
            var level = UnusualLevel()
            for _ in 0..<150 { level.read(bot.p99()) }
            guard level.state == .usual else { continue }
            // It doubles in the middle of a window, which shows nothing of it: 5 s are gone. 25 s are left.
            bot.factor = 2
            for _ in 0..<5 {
                level.read(bot.p99())
                if level.state == .high {
                    found += 1
                    break
                }
            }
        }
        #expect(found >= trials * 99 / 100, "\(found) of \(trials)")
    }

    @Test("a rate that falls to a tenth is low, and usual again when it is back")
    func fallen() {
        var bot = SimulatedBot(seed: 5, values: 5_000) { $0 }
        var level = UnusualLevel()
        for _ in 0..<100 { level.read(bot.count()) }
        #expect(level.state == .usual)
        bot.factor = 0.1
        for _ in 0..<3 { level.read(bot.count()) }
        #expect(level.state == .low)
        bot.factor = 1
        for _ in 0..<3 { level.read(bot.count()) }
        #expect(level.state == .usual)
    }

    @Test("a level that stays becomes the usual one")
    func stays() throws {
        var bot = SimulatedBot(seed: 6, values: 5_000) { $0 }
        var level = UnusualLevel()
        for _ in 0..<200 { level.read(bot.count()) }
        bot.factor = 3
        var readings = 0
        repeat {
            level.read(bot.count())
            readings += 1
        } while level.state != .high && readings < 10
        #expect(level.state == .high)
        while level.state == .high && readings < 1_000 {
            level.read(bot.count())
            readings += 1
        }
        #expect(level.state == .usual && readings < 120)
        #expect(try #require(level.usualLevel) > 10_000)
    }

    @Test("nothing is judged before half of the horizon is known, nor is what is no figure read")
    func warmUp() {
        var level = UnusualLevel()
        for figure in [0, -1, .nan, .infinity] as [Double] { level.read(figure) }
        for _ in 0..<60 { level.read(1) }
        #expect(level.state == .warmingUp && level.usualLevel == nil)
        level.read(1)
        #expect(level.state == .usual && level.usualLevel == 1)
    }

    @Test("a figure that has never moved is not unusual for a small step")
    func still() {
        var level = UnusualLevel()
        for _ in 0..<120 { level.read(1) }
        for _ in 0..<10 { level.read(1.1) }
        #expect(level.state == .usual)
        for _ in 0..<3 { level.read(2) }
        #expect(level.state == .high)
    }
}

@Suite struct SeriesLevelTests {
    private static let second: Int64 = 1_000_000_000

    @Test("a histogram whose values double is unusual within 30 s, and is shown so")
    func histogram() throws {
        let bot = BotSeries(name: "a", options: SeriesOptions(), now: 0)
        let lane = bot.lane("")
        lane.isUp = true
        let metric = MetricDescriptor(
            name: "x_seconds", help: "X.", kind: .histogram, unit: .seconds, labels: [Label("k", "v")])
        let instrument = try #require(lane.register(metric, isCurrent: true))
        let feed = try #require(instrument.feed?.records)
        var random = SeededGenerator(seed: 3)
        var changes: [(second: Int64, change: LevelChange)] = []
        for now in 1...500 as ClosedRange<Int64> {
            bot.advance(to: now * Self.second)
            for _ in 0..<300 {
                let value = Double.random(in: 1e-5..<2e-5, using: &random) * (now > 450 ? 2 : 1)
                feed.insert(value: value, timeNanoseconds: now * Self.second - 1)
            }
            guard now % 5 == 0 else { continue }
            changes += bot.readLevels(now: now * Self.second).map { (now, $0) }
        }
        #expect(changes.map(\.change.level.state) == [.high] && changes.map(\.change.level.statistic) == [.p99])
        let found = try #require(changes.first)
        #expect((451...480).contains(found.second))
        guard case .histogram(let shown)? = bot.metrics(now: 500 * Self.second).first?.reading else {
            Issue.record("no histogram")
            return
        }
        #expect(shown.levels.map(\.state) == [.high, .usual])
    }

    @Test("a window that lacks something is not read")
    func incomplete() {
        var levels = SeriesLevels()
        let summary = HistogramSummary(
            count: 1000, sum: 1, extremes: nil, quantiles: [QuantileValue(quantile: 0.99, value: 1)])
        for reading in 0..<200 {
            _ = levels.read(
                HistogramWindow(
                    window: WindowSpan.standard[1], summary: summary, rate: 200, lost: 1, isComplete: reading < 50))
        }
        #expect(levels.snapshots.isEmpty)
    }
}
