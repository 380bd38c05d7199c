import Glibc
import TestSupport
import Testing

@testable import Series

/// Tests the collector's cost of a registration if there are many, and the ownership of names.
@Suite struct ManySeriesTests {
    private static func metric(_ index: Int, kind: MetricKind = .counter) -> MetricDescriptor {
        MetricDescriptor(
            name: "fills_total", help: "Fills.", kind: kind, unit: .none, labels: [Label("symbol", "S\(index)")])
    }

    /// Returns the processor seconds of this thread for a number of registrations. Another thread's work does not
    /// count.
    private func seconds(_ count: Int, kinds: [MetricKind]) -> Double {
        let bot = BotSeries(name: "bot", options: SeriesOptions(), now: 0)
        let lanes = kinds.enumerated().map { bot.lane("lane\($0.offset)") }
        let start = Self.processorSeconds()
        for (lane, kind) in zip(lanes, kinds) {
            for index in 0..<count { _ = lane.register(Self.metric(index, kind: kind), isCurrent: true) }
            lane.isUp = true
        }
        return Self.processorSeconds() - start
    }

    private static func processorSeconds() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
    }

    @Test(
        "Eight times as many series of a name take some eight times as long, not sixty-four, also refused ones",
        arguments: [[MetricKind.counter], [.counter, .upDownCounter]])
    func linear(kinds: [MetricKind]) {
        _ = seconds(512, kinds: kinds)
        #expect(seconds(16_384, kinds: kinds) < 24 * seconds(2048, kinds: kinds))
    }

    @Test("A name that is registered refuses another kind; what an earlier life left there gives way at once")
    func rivals() {
        let bot = BotSeries(name: "bot", options: SeriesOptions(), now: 0)
        let (first, second) = (bot.lane("first"), bot.lane("second"))
        for index in 0..<10 { #expect(first.register(Self.metric(index), isCurrent: true) != nil) }
        first.isUp = true
        #expect(second.register(Self.metric(99, kind: .upDownCounter), isCurrent: true) == nil)
        #expect(bot.histogramKeys.isEmpty && bot.ordered.count == 10)

        first.isUp = false
        #expect(second.register(Self.metric(3, kind: .upDownCounter), isCurrent: true) != nil)
        #expect(bot.ordered.map(\.key.labels) == [[Label("symbol", "S3")]])
        #expect(bot.takeDropped().count == 9)
        second.isUp = true
        first.isUp = true
        #expect(first.register(Self.metric(4), isCurrent: true) == nil)
        #expect(first.register(Self.metric(3), isCurrent: true) == nil)
    }

    @Test("Series that were kept over a restart count as those that have the name")
    func restored() {
        let bot = BotSeries(name: "bot", options: SeriesOptions(), now: 0)
        let lane = bot.lane("lane")
        _ = lane.register(Self.metric(1), isCurrent: true)
        let kept = bot.checkpointStates().map(\.state)
        let later = BotSeries(name: "bot", options: SeriesOptions(), now: 0)
        for state in kept { later.restore(state) }
        #expect(later.lane("lane").register(Self.metric(2, kind: .gauge), isCurrent: true) != nil)
        #expect(later.ordered.map(\.key.labels) == [[Label("symbol", "S2")]])
    }
}
