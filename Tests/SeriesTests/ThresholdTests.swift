import Testing

@testable import Series

@Suite struct ThresholdTests {
    private let bot = BotSeries(name: "alpha", options: SeriesOptions(), now: 0)
    private let rule = ThresholdRule(instrument: "x_seconds", labels: [Label("venue", "X")], threshold: 0.05)

    private func histogram(_ lane: String, _ venue: String) throws -> LaneMetric {
        let metric = MetricDescriptor(
            name: "x_seconds", help: "", kind: .histogram, unit: .seconds, labels: [Label("venue", venue)])
        return try #require(bot.lane(lane).register(metric, isCurrent: true))
    }

    @Test("a value at the threshold is good and the next larger one is bad, in whatever unit it was written")
    func edge() throws {
        bot.hold(to: [rule])
        let watch = try #require(try histogram("", "X").watch).recorder
        watch.pointee.count(value: 0.05, weight: 1)
        watch.pointee.count(value: 0.05.nextUp, weight: 1)
        #expect(bot.counts(of: rule) == EventCounts(good: 1, bad: 1))
        watch.pointee.count(nanoseconds: 50_000_000, weight: 1)
        watch.pointee.count(nanoseconds: 50_000_001, weight: 1)
        #expect(bot.counts(of: rule) == EventCounts(good: 2, bad: 2))
        for perSecond in [1e9, 3e9, 2_799_999_000, 24e6] {
            watch.pointee.beginEpoch(Int(perSecond), valuePerUnit: 1 / perSecond)
            let limit = Int64((0.05 * perSecond).rounded(.down))
            let before = try #require(bot.counts(of: rule))
            watch.pointee.count(units: limit, weight: 1)
            watch.pointee.count(units: limit + 1, weight: 1)
            #expect(bot.counts(of: rule) == before &+ EventCounts(good: 1, bad: 1))
        }
    }

    @Test(
        "every threshold of nanoseconds is met exactly",
        arguments: [1, 7, 10_000, 100_000, 333_333, 1_000_000, 86_399_999_999_999])
    func nanoseconds(threshold: Int64) throws {
        let rule = ThresholdRule(instrument: "x_seconds", labels: [], threshold: Double(threshold) / 1e9)
        bot.hold(to: [rule])
        let watch = try #require(try histogram("", "X").watch).recorder
        watch.pointee.count(nanoseconds: threshold, weight: 2)
        watch.pointee.count(nanoseconds: threshold + 1, weight: 3)
        #expect(bot.counts(of: rule) == EventCounts(good: 2, bad: 3))
    }

    @Test("lanes are counted together, weights as often as they say, and other series not at all")
    func lanes() throws {
        bot.hold(to: [rule])
        #expect(bot.counts(of: rule) == nil)
        let (first, second) = (try histogram("md", "X"), try histogram("orders", "X"))
        #expect(try histogram("md", "Y").watch == nil)
        first.watch?.recorder.pointee.count(value: 0.01, weight: 10)
        second.watch?.recorder.pointee.count(value: 1, weight: 0)
        #expect(bot.counts(of: rule) == EventCounts(good: 10, bad: 1))
    }

    @Test("counts go on when other rules come and go, and begin at nothing when the rule itself has gone")
    func changes() throws {
        let other = ThresholdRule(instrument: "x_seconds", labels: [], threshold: 1)
        bot.hold(to: [rule])
        let instrument = try histogram("", "X")
        instrument.watch?.recorder.pointee.count(value: 0.01, weight: 1)
        bot.hold(to: [other, rule])
        instrument.watch?.recorder.pointee.count(value: 0.5, weight: 1)
        #expect(bot.counts(of: rule) == EventCounts(good: 1, bad: 1))
        #expect(bot.counts(of: other) == EventCounts(good: 1, bad: 0))
        bot.hold(to: [])
        #expect(instrument.watch == nil && bot.counts(of: rule) == nil)
        bot.hold(to: [rule])
        #expect(bot.counts(of: rule) == EventCounts())
    }
}
