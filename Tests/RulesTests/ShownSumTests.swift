import Rules
import Series
import Sketch
import TestSupport
import Testing

/// The values recorded under all names, by kind and unit.
private struct Recorded: Equatable {
    var counters: UInt64 = 0
    var open: Int64 = 0
    var durations = Values()
    var sizes = Values()

    struct Values: Equatable {
        var count: UInt64 = 0
        var sum = 0.0
        var calls: UInt64 = 0
        var abandoned: UInt64 = 0
        var failed: UInt64 = 0
        var minimum = Double.infinity
        var maximum = -Double.infinity
    }

    /// The sums that windows have too.
    var windowed: [Double] {
        [durations, sizes].flatMap { [Double($0.count), $0.sum, $0.minimum, $0.maximum] }
    }
}

/// Tests that the values shown of a bot add up to the recorded values, with any rules.
@Suite struct ShownSumTests {
    private static let options = SeriesOptions()
    private static let names = ["a_total", "b_total", "c_seconds", "d_bytes", "e"]
    private static let second: Int64 = 1_000_000_000

    /// Returns a bot of two lanes with series of every kind, each with random values.
    private func bot(_ random: inout SeededGenerator) -> (BotSeries, Recorded) {
        let bot = BotSeries(name: "alpha", options: Self.options, now: 0)
        var recorded = Recorded()
        for name in ["", "md"] {
            let lane = bot.lane(name)
            lane.beginLife()
            lane.isUp = true
            var known: Set<SeriesKey> = []
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let labels = [("venue", 6), ("shard", 3)].filter { _ in Bool.random(using: &random) }.map {
                    Label($0.0, "\(Int.random(in: 0..<$0.1, using: &random))")
                }
                let place = Int.random(in: 0..<Self.names.count, using: &random)
                let isNew = known.insert(SeriesKey(name: Self.names[place], labels: labels)).inserted
                if isNew { feed(lane, place, labels, &recorded, &random) }
            }
        }
        return (bot, recorded)
    }

    private func feed(
        _ lane: LaneSeries, _ place: Int, _ labels: [Label], _ recorded: inout Recorded,
        _ random: inout SeededGenerator
    ) {
        let kinds: [MetricKind] = [.counter, .counter, .histogram, .histogram, .upDownCounter]
        let units: [MetricUnit] = [.none, .none, .seconds, .bytes, .none]
        let metric = MetricDescriptor(
            name: Self.names[place], help: "", kind: kinds[place], unit: units[place], labels: labels)
        guard let instrument = lane.register(metric, isCurrent: true) else { return }
        let amount = UInt64.random(in: 0...9, using: &random)
        switch metric.kind {
        case .histogram:
            if place == 2 {
                feed(instrument, &recorded.durations, &random)
            } else {
                feed(instrument, &recorded.sizes, &random)
            }
        case .upDownCounter:
            instrument.sample(total: .signed(3 - Int64(amount)), wasWatched: true)
            recorded.open += 3 - Int64(amount)
        case .counter, .gauge:
            instrument.sample(total: .unsigned(amount), wasWatched: true)
            recorded.counters += amount
        }
    }

    private func feed(
        _ instrument: LaneMetric, _ values: inout Recorded.Values, _ random: inout SeededGenerator
    ) {
        let calls = UInt64.random(in: 0...5, using: &random)
        for _ in 0..<calls {
            let value = Double(Int.random(in: -40...400, using: &random)) / 8
            let failed = Bool.random(using: &random)
            instrument.recorder?.records.insert(value: value, timeNanoseconds: Self.second, weight: 2, failed: failed)
            values.failed += failed ? 2 : 0
            values.count += 2
            values.sum += 2 * value
            (values.minimum, values.maximum) = (min(values.minimum, value), max(values.maximum, value))
        }
        instrument.sample(calls: calls, abandoned: 1)
        values.calls += calls
        values.abandoned += 1
    }

    private func rules(_ random: inout SeededGenerator) -> MetricRules {
        func flip() -> Bool { Int.random(in: 0..<3, using: &random) == 0 }
        let rules = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            var rule = MetricRule(
                match: Glob(["*", "a_*", "?_total", "c_seconds", "e"].randomElement(using: &random)!))
            if flip() { rule.labels = [Label("venue", "1")] }
            if flip() { rule.rename = ["x", "a_total", "e"].randomElement(using: &random)! }
            if flip() { rule.add = [Label("venue", "9")] }
            if flip() { rule.dropLabels = [["venue"], ["shard"], ["venue", "shard"]].randomElement(using: &random)! }
            if flip() { rule.maximumSeries = Int.random(in: 1...4, using: &random) }
            return rule
        }
        return MetricRules(rules, maximumSeries: flip() ? Int.random(in: 1...12, using: &random) : nil)
    }

    private func shown(_ metrics: [MetricSnapshot], window: Bool = false) -> Recorded {
        var sum = Recorded()
        for metric in metrics {
            switch metric.reading {
            case .counter(let counter):
                if case .unsigned(let value) = counter.value { sum.counters += value }
            case .upDownCounter(let counter):
                if case .signed(let value) = counter.value { sum.open += value }
            case .gauge: break
            case .histogram(let histogram):
                if metric.unit == .seconds {
                    sum.durations.add(histogram, window: window)
                } else {
                    sum.sizes.add(histogram, window: window)
                }
            }
        }
        return sum
    }

    @Test(
        "the sums over what is shown are those over what was recorded, in the totals and in every window",
        arguments: 1...200)
    func sums(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let (bot, recorded) = bot(&random)
        let rules = rules(&random)
        let plan = rules.plan(bot.heads)
        let metrics = bot.metrics(now: Self.second, as: plan)
        #expect(shown(metrics) == recorded, "\(rules)")
        #expect(shown(metrics, window: true).windowed == recorded.windowed, "\(rules)")
        for case .histogram(let histogram) in metrics.map(\.reading) {
            #expect(histogram.sketch.count == histogram.total.count)
            #expect(histogram.classicBuckets.allSatisfy { $0.cumulativeCount <= histogram.total.count })
        }
        if let bound = rules.maximumSeries {
            let unbounded = plan.groups.filter { group in
                group.key.labels.allSatisfy { $0.value == "other" || $0 == Label("venue", "9") }
            }
            #expect(plan.groups.count <= bound + unbounded.count)
        }
        // The series are the same in another run, so the first ones are the same.
        let again = BotSeries(name: "alpha", options: Self.options, now: 0)
        for kept in bot.checkpointStates().shuffled(using: &random) { again.restore(kept.state) }
        #expect(rules.plan(again.heads).groups.map(\.key) == plan.groups.map(\.key))
        #expect(rules.plan(again.heads).refused == plan.refused)
        #expect(shown(again.metrics(now: Self.second, as: rules.plan(again.heads))) == recorded)
    }

    @Test("edges that were chosen are exact in what is shown as one")
    func edges() throws {
        let bot = BotSeries(name: "alpha", options: Self.options, now: 0)
        let edges = [0.3, 1, 2.5]
        bot.hold(to: []) { _, _ in edges }
        let lane = bot.lane("")
        lane.isUp = true
        let values: [[Double]] = [
            [0.1, edges[0], edges[0].nextUp, 2.5, 7], [edges[0].nextDown, 1, edges[1].nextUp, 2],
        ]
        for (place, values) in values.enumerated() {
            let labels = [Label("venue", "\(place)")]
            let metric = MetricDescriptor(name: "size", help: "", kind: .histogram, unit: .none, labels: labels)
            let instrument = try #require(lane.register(metric, isCurrent: true))
            for value in values {
                instrument.recorder?.records.insert(value: value, timeNanoseconds: 0)
                instrument.watch?.recorder.pointee.count(value: value, weight: 1)
            }
        }
        let plan = MetricRules([MetricRule(match: .all, dropLabels: ["venue"])]).plan(bot.heads)
        let shown = bot.metrics(now: 0, as: plan)
        guard case .histogram(let histogram)? = shown.first?.reading, shown.count == 1 else {
            Issue.record("\(shown)")
            return
        }
        #expect(histogram.classicBuckets.map(\.upperBound) == edges)
        let all = values.joined()
        #expect(
            histogram.classicBuckets.map(\.cumulativeCount) == edges.map { edge in UInt64(all.count { $0 <= edge }) })
    }

    @Test("gauges that become one show the highest of each lane, and a window that spans all of theirs")
    func gauges() throws {
        let bot = BotSeries(name: "alpha", options: Self.options, now: 0)
        for (lane, values) in [("", [3.0, -1]), ("md", [7, 8])] {
            let series = bot.lane(lane)
            series.isUp = true
            for (place, value) in values.enumerated() {
                let labels = [Label("venue", "\(place)")]
                let metric = MetricDescriptor(name: "depth", help: "", kind: .gauge, unit: .none, labels: labels)
                try #require(series.register(metric, isCurrent: true))
                    .sample(gauge: (.real(value), .real(value + 10)), now: 0, options: Self.options)
            }
        }
        let plan = MetricRules([MetricRule(match: .all, dropLabels: ["venue"])]).plan(bot.heads)
        let gauges = bot.metrics(now: 0, as: plan).compactMap { metric -> GaugeSnapshot? in
            if case .gauge(let gauge) = metric.reading { gauge } else { nil }
        }
        #expect(gauges.map(\.lane) == ["", "md"])
        #expect(gauges.map(\.value) == [.real(3), .real(8)] && gauges.map(\.highest) == [.real(13), .real(18)])
        #expect(gauges[0].windows.allSatisfy { $0.minimum == -1 && $0.maximum == 3 && $0.last == 3 })
    }
}

extension Recorded.Values {
    fileprivate mutating func add(_ histogram: HistogramSnapshot, window: Bool) {
        let summary = window ? histogram.windows[1].summary : histogram.total
        count += summary.count
        sum += summary.sum
        calls += histogram.calls
        abandoned += histogram.abandoned
        failed += histogram.failed
        guard let extremes = summary.extremes else { return }
        (minimum, maximum) = (min(minimum, extremes.minimum), max(maximum, extremes.maximum))
    }
}
