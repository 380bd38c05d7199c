import Sketch
import Testing

@testable import Series

/// A bot whose lanes a test registers and samples.
private struct Bot {
    let series = BotSeries(name: "alpha", options: SeriesOptions(), now: 0)

    func metric(
        _ name: String, _ kind: MetricKind, unit: MetricUnit = .none, labels: [Label] = []
    ) -> MetricDescriptor {
        MetricDescriptor(name: name, help: "help", kind: kind, unit: unit, labels: labels)
    }

    func start(_ name: String) -> LaneSeries {
        let lane = series.lane(name)
        lane.beginLife()
        lane.isUp = true
        return lane
    }

    func reading(_ name: String, now: Int64 = 0) -> MetricSnapshot.Reading? {
        series.metrics(now: now).first { $0.name == name }?.reading
    }

    func counter(_ name: String, now: Int64 = 0) -> CounterSnapshot? {
        switch reading(name, now: now) {
        case .counter(let counter)?, .upDownCounter(let counter)?: counter
        default: nil
        }
    }

    func histogram(_ name: String, now: Int64 = 0) -> HistogramSnapshot? {
        guard case .histogram(let histogram)? = reading(name, now: now) else { return nil }
        return histogram
    }

    func gauges(_ name: String, now: Int64 = 0) -> [GaugeSnapshot] {
        series.metrics(now: now).compactMap {
            guard case .gauge(let gauge) = $0.reading, $0.name == name else { return nil }
            return gauge
        }
    }
}

@Suite struct BotSeriesTests {
    private let bot = Bot()

    @Test("Counters and up-down counters of the lanes are summed, and integers stay exact")
    func sums() throws {
        for (name, part) in [("md", UInt64(1) << 60 + 1), ("oms", 5), ("", 7)] {
            let lane = bot.start(name)
            try #require(lane.register(bot.metric("orders_total", .counter), isCurrent: true))
                .sample(total: .unsigned(part), wasWatched: true)
            try #require(lane.register(bot.metric("open", .upDownCounter), isCurrent: true))
                .sample(total: .signed(-2), wasWatched: true)
        }
        #expect(bot.counter("orders_total")?.value == .unsigned(1 << 60 + 13))
        #expect(bot.counter("open")?.value == .signed(-6))
    }

    @Test("Gauges have one series for each lane, while they are set")
    func gauges() throws {
        let instruments = try ["b", "a", "c"].map {
            try #require(bot.start($0).register(bot.metric("depth", .gauge), isCurrent: true))
        }
        for (place, instrument) in instruments.enumerated() {
            let value = (value: Number.signed(Int64(place)), highest: Number.signed(9))
            instrument.sample(gauge: value, now: 0, options: bot.series.options)
        }
        #expect(bot.gauges("depth").map(\.lane) == ["a", "b", "c"])
        #expect(bot.gauges("depth").map(\.value) == [.signed(1), .signed(0), .signed(2)])
        instruments[0].sample(gauge: nil, now: 0, options: bot.series.options)
        instruments[1].sample(gauge: (.real(.nan), .real(1)), now: 0, options: bot.series.options)
        instruments[2].sample(gauge: (.real(4), .real(.nan)), now: 0, options: bot.series.options)
        #expect(bot.gauges("depth").map(\.lane) == ["c"])
        #expect(bot.gauges("depth").map(\.highest) == [.real(4)])
    }

    @Test("Histograms of the lanes are one series, whose windows lose what any of the lanes lost")
    func histograms() throws {
        let metric = bot.metric("tick_seconds", .histogram, unit: .seconds)
        let lanes = ["md", "oms"].map(bot.start)
        for (place, lane) in lanes.enumerated() {
            let instrument = try #require(lane.register(metric, isCurrent: true))
            try #require(instrument.recorder).records.insert(
                value: Double(place + 1), timeNanoseconds: 0, failed: place == 0)
            instrument.sample(calls: 10, abandoned: 2)
        }
        lanes[1].loss.add(lost: 4, from: 0, to: 1)
        let histogram = try #require(bot.histogram("tick_seconds"))
        #expect(histogram.calls == 20 && histogram.abandoned == 4 && histogram.failed == 1)
        #expect(histogram.total.count == 2 && histogram.total.sum == 3 && histogram.sketch.count == 2)
        #expect(histogram.windows.map(\.summary.count) == [2, 2, 2])
        #expect(histogram.windows.map(\.lost) == [4, 4, 4] && histogram.windows.allSatisfy { !$0.isComplete })
        #expect(bot.series.completeness(now: 0).map(\.lost) == [4, 4, 4])
        #expect(histogram.classicBuckets.count == 25)
    }

    @Test("A bot that is down keeps its totals and loses gauges, rates and windows")
    func down() throws {
        let lane = bot.start("")
        try #require(lane.register(bot.metric("orders_total", .counter), isCurrent: true))
            .sample(total: .unsigned(3), wasWatched: true)
        let histogram = try #require(lane.register(bot.metric("size_bytes", .histogram, unit: .bytes), isCurrent: true))
        try #require(histogram.recorder).records.insert(value: 8, timeNanoseconds: 0)
        try #require(lane.register(bot.metric("depth", .gauge), isCurrent: true))
            .sample(gauge: (.real(1), .real(1)), now: 0, options: bot.series.options)
        lane.isUp = false
        #expect(
            bot.counter("orders_total")?.value == .unsigned(3) && bot.counter("orders_total")?.windows.isEmpty == true)
        #expect(bot.histogram("size_bytes")?.total.count == 1 && bot.histogram("size_bytes")?.windows.isEmpty == true)
        #expect(bot.gauges("depth").isEmpty && !bot.series.isUp)
    }

    @Test("A histogram without news is one snapshot, and one whose windows alone move shows the totals of before")
    func noNews() throws {
        let lane = bot.start("")
        let instrument = try #require(
            lane.register(bot.metric("size_bytes", .histogram, unit: .bytes), isCurrent: true))
        let records = try #require(instrument.recorder).records
        records.insert(value: 8, timeNanoseconds: 0)
        let fresh = try #require(bot.histogram("size_bytes"))
        let moved = try #require(bot.histogram("size_bytes", now: 3 * second))
        #expect(moved !== fresh && moved.version == fresh.version && moved.windows[0].summary.count == 0)
        let idle = try #require(bot.histogram("size_bytes", now: 90 * second))
        #expect(idle.windows.map(\.summary.count) == [0, 0, 0] && idle.version == fresh.version)
        #expect(bot.histogram("size_bytes", now: 91 * second) === idle)
        instrument.sample(calls: 9, abandoned: 0)
        let called = try #require(bot.histogram("size_bytes", now: 92 * second))
        #expect(called !== idle && called.calls == 9 && called.version == fresh.version)
        records.insert(value: 16, timeNanoseconds: 92 * second)
        let renewed = try #require(bot.histogram("size_bytes", now: 92 * second))
        #expect(renewed.version != fresh.version && renewed.total.count == 2 && renewed.windows[0].summary.count == 1)
        lane.isUp = false
        #expect(bot.histogram("size_bytes", now: 200 * second)?.windows.isEmpty == true)
    }

    @Test("A record dated ahead of now is in the windows once its time has come, also if nothing follows it")
    func recordAhead() throws {
        let lane = bot.start("md")
        let instrument = try #require(
            lane.register(bot.metric("size_bytes", .histogram, unit: .bytes), isCurrent: true))
        let records = try #require(instrument.recorder).records
        for (seconds, ahead) in [(90, 101), (200, 500), (300, 999)] as [(Int64, Int64)] {
            // A tenth of a second before a slice of each window begins.
            let now = seconds * second - 100_000_000
            bot.series.advance(to: now)
            records.insert(value: 1, timeNanoseconds: now + ahead * 1_000_000)
            for _ in 1...2 {
                #expect(bot.histogram("size_bytes", now: now)?.windows.map(\.summary.count) == [0, 0, 0])
            }
            #expect(bot.histogram("size_bytes", now: now + second)?.windows.map(\.summary.count) == [1, 1, 1])
        }
        let aged = bot.histogram("size_bytes", now: 400 * second)
        #expect(
            aged?.windows.map(\.summary.count) == [0, 0, 0] && aged === bot.histogram("size_bytes", now: 401 * second))
    }

    @Test("A lane that dies beside one that lives leaves its totals and its windows to age")
    func oneLaneDies() throws {
        let metric = bot.metric("size_bytes", .histogram, unit: .bytes)
        let (dying, living) = (bot.start("a"), bot.start("b"))
        for lane in [dying, living] {
            try #require(lane.register(metric, isCurrent: true)?.recorder).records.insert(value: 1, timeNanoseconds: 0)
        }
        dying.isUp = false
        #expect(bot.histogram("size_bytes")?.windows.map(\.summary.count) == [2, 2, 2])
        #expect(bot.histogram("size_bytes", now: 90 * second)?.windows.map(\.summary.count) == [0, 0, 0])
        #expect(bot.histogram("size_bytes", now: 90 * second)?.total.count == 2)
    }

    @Test("A metric that the new life has not registered keeps its total, and loses gauge and windows")
    func earlierLife() throws {
        let lane = bot.start("")
        let names = [bot.metric("a_total", .counter), bot.metric("b_total", .counter), bot.metric("g", .gauge)]
        let instruments = try names.map { try #require(lane.register($0, isCurrent: true)) }
        for instrument in instruments[..<2] { instrument.sample(total: .unsigned(4), wasWatched: true) }
        instruments[2].sample(gauge: (.real(1), .real(1)), now: 0, options: bot.series.options)
        lane.beginLife()
        let again = try #require(lane.register(names[0], isCurrent: true))
        #expect(again === instruments[0])
        again.sample(total: .unsigned(6), wasWatched: true)
        #expect(bot.counter("a_total")?.value == .unsigned(6) && bot.counter("a_total")?.windows.isEmpty == false)
        #expect(bot.counter("b_total")?.value == .unsigned(4) && bot.counter("b_total")?.windows.isEmpty == true)
        #expect(bot.gauges("g").isEmpty)
    }

    @Test("A ring that is replaced hands its totals on, but not the level of its up-down counters")
    func replacedRing() throws {
        let metrics = [
            bot.metric("orders_total", .counter), bot.metric("open", .upDownCounter),
            bot.metric("size_bytes", .histogram, unit: .bytes),
        ]
        for ring in 1...3 {
            let lane = bot.start("md")
            let instruments = try metrics.map { try #require(lane.register($0, isCurrent: true)) }
            instruments[0].sample(total: .unsigned(10), wasWatched: true)
            instruments[1].sample(total: .signed(7), wasWatched: true)
            instruments[2].sample(calls: 5, abandoned: 1)
            try #require(instruments[2].recorder).records.insert(value: 1, timeNanoseconds: 0)
            #expect(bot.counter("orders_total")?.value == .unsigned(UInt64(10 * ring)))
            #expect(bot.counter("open")?.value == .signed(7))
            let histogram = try #require(bot.histogram("size_bytes"))
            #expect(histogram.calls == UInt64(5 * ring) && histogram.abandoned == UInt64(ring))
            #expect(histogram.total.count == UInt64(ring))
            lane.carryOver()
            #expect(bot.counter("orders_total")?.value == .unsigned(UInt64(10 * ring)))
        }
    }

    @Test("The name of a metric that runs is refused with another kind or unit, in any lane and with any labels")
    func conflicts() throws {
        let first = bot.start("a")
        _ = try #require(first.register(bot.metric("x", .counter), isCurrent: true))
        let second = bot.start("b")
        #expect(second.register(bot.metric("x", .gauge), isCurrent: true) == nil)
        #expect(second.register(bot.metric("x", .counter, unit: .bytes), isCurrent: true) == nil)
        #expect(second.register(bot.metric("x", .histogram, labels: [Label("k", "v")]), isCurrent: true) == nil)
        #expect(second.register(bot.metric("x", .counter, labels: [Label("k", "v")]), isCurrent: true) != nil)
        first.isUp = false
        second.isUp = false
        let successor = bot.start("c").register(bot.metric("x", .gauge), isCurrent: true)
        try #require(successor).sample(gauge: (.real(2), .real(2)), now: 0, options: bot.series.options)
        #expect(bot.series.metrics(now: 0).count == 1 && bot.gauges("x").map(\.lane) == ["c"])
    }

    @Test("Labels are an identity whatever their order, and series come sorted by name, labels and lane")
    func identityAndOrder() throws {
        let (a, b) = (Label("a", "1"), Label("b", "2"))
        for name in ["z", "y"] {
            let lane = bot.start(name)
            for labels in [[b, a], [a], [], [a, b]] {
                let metric = bot.metric("n", .gauge, labels: labels)
                try #require(lane.register(metric, isCurrent: true))
                    .sample(gauge: (.real(1), .real(1)), now: 0, options: bot.series.options)
            }
            try #require(lane.register(bot.metric("m_total", .counter), isCurrent: true))
                .sample(total: .unsigned(1), wasWatched: true)
        }
        let metrics = bot.series.metrics(now: 0)
        #expect(metrics.map(\.name) == ["m_total"] + Array(repeating: "n", count: 6))
        #expect(metrics.map(\.labels) == [[], [], [], [a], [a], [a, b], [a, b]])
        #expect(bot.gauges("n").map(\.lane) == ["y", "z", "y", "z", "y", "z"])
    }

    @Test("Counts from before the watch are in the total and in no increase; counts of a new ring are in both")
    func increases() throws {
        for (name, wasWatched) in [("old", false), ("new", true)] {
            let instrument = bot.start(name).register(bot.metric("orders_total", .counter), isCurrent: true)
            try #require(instrument).sample(total: .unsigned(100), wasWatched: wasWatched)
        }
        bot.series.sampleCounters(now: 10 * millisecond)
        #expect(bot.counter("orders_total")?.value == .unsigned(200))
        #expect(bot.counter("orders_total")?.windows.map(\.increase) == [100, 100, 100])
        #expect(bot.counter("orders_total")?.rate == nil)
    }

    @Test("A total that is NaN is left out, and the next one counts again")
    func notANumber() throws {
        let instrument = try #require(
            bot.start("").register(bot.metric("usd_total", .counter, unit: .usd), isCurrent: true))
        for (step, total) in [1.5, .nan, 4].enumerated() {
            instrument.sample(total: .real(total), wasWatched: true)
            bot.series.sampleCounters(now: Int64(step + 1) * millisecond)
        }
        #expect(bot.counter("usd_total")?.value == .real(4))
        #expect(bot.counter("usd_total")?.windows.map(\.increase) == [4, 4, 4])
    }

    @Test("A forgotten bot frees its series")
    func release() throws {
        weak var histogram: HistogramSeries?
        weak var instrument: LaneMetric?
        do {
            let short = Bot()
            instrument = short.start("a").register(
                short.metric("x_seconds", .histogram, unit: .seconds), isCurrent: true)
            histogram = instrument?.series.histogram
            #expect(histogram != nil)
        }
        #expect(instrument == nil && histogram == nil)
    }
}
