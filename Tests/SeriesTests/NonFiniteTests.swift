import Sketch
import TestSupport
import Testing

@testable import Series

/// Tests infinite values, totals beyond 2^53 and 2^64, and texts that Unicode calls equivalent.
@Suite struct NonFiniteTests {
    private let bot = BotSeries(name: "alpha", options: SeriesOptions(), now: 0)

    private func register(
        _ name: String, _ kind: MetricKind, lane: String = "", labels: [Label] = []
    ) throws -> LaneMetric {
        let lane = bot.lane(lane)
        lane.isUp = true
        let metric = MetricDescriptor(name: name, help: "", kind: kind, unit: .none, labels: labels)
        return try #require(lane.register(metric, isCurrent: true))
    }

    private func counter(_ name: String, now: Int64 = 0) throws -> CounterSnapshot {
        let reading = bot.metrics(now: now).first { $0.name == name }?.reading
        guard case .counter(let counter)? = reading else { throw Missing() }
        return counter
    }

    private func histogram(_ name: String, now: Int64) throws -> HistogramSnapshot {
        let reading = bot.metrics(now: now).first { $0.name == name }?.reading
        guard case .histogram(let histogram)? = reading else { throw Missing() }
        return histogram
    }

    private struct Missing: Error {}

    @Test("an infinite gauge is shown, with its highest value and in its windows, and so is what it is set to next")
    func gauge() throws {
        let gauge = try register("depth", .gauge)
        for (place, value) in [1.0, .infinity, -.infinity, 2].enumerated() {
            let highest = place == 0 ? value : .infinity
            gauge.sample(gauge: (.real(value), .real(highest)), now: Int64(place), options: bot.options)
            guard case .gauge(let shown)? = bot.metrics(now: Int64(place)).first?.reading else { throw Missing() }
            #expect(shown.value == .real(value) && shown.highest == .real(highest))
            #expect(shown.windows.allSatisfy { $0.maximum == highest && $0.last == value })
        }
    }

    @Test(
        "a fractional counter that became infinite is infinite, and its rate is none once nothing else is in the window"
    )
    func counter() throws {
        let counter = try register("spent_total", .counter)
        for step in 0..<40 {
            counter.sample(total: .real(step < 15 ? Double(step) : .infinity), wasWatched: true)
            bot.sampleCounters(now: Int64(step) * 100_000_000)
            if step == 20 {
                #expect(try self.counter("spent_total").windows[0].increase == .infinity)
                #expect(try self.counter("spent_total").rate == .infinity)
            }
        }
        let shown = try self.counter("spent_total", now: 4_000_000_000)
        #expect(shown.value == .real(.infinity) && shown.rate == nil && shown.windows[0].increase.isNaN)
        #expect(shown.windows[2].increase == .infinity)
    }

    @Test(
        "increments beyond 2^53 are exact in rates and windows",
        arguments: [1 << 53, 1 << 63, UInt64.max - 100_000] as [UInt64])
    func exactRates(start: UInt64) throws {
        let counter = try register("bytes_total", .counter)
        counter.sample(total: .unsigned(start), wasWatched: false)
        bot.sampleCounters(now: 0)
        for step in 1...20 {
            counter.sample(total: .unsigned(start + UInt64(step) * 7), wasWatched: true)
            bot.sampleCounters(now: Int64(step) * 100_000_000)
        }
        let shown = try self.counter("bytes_total", now: 2_000_000_000)
        #expect(shown.rate == 70 && shown.watchedIncrease == 140)
        #expect(shown.value == .unsigned(start + 140))
    }

    @Test("lanes whose sum is beyond 2^64 are shown as a double, never as a total that fell; one that wraps goes on")
    func sums() throws {
        let lanes = try ["a", "b", "c"].map { try register("n_total", .counter, lane: $0) }
        var last = 0.0
        for step in 0..<30 {
            for lane in lanes {
                lane.sample(total: .unsigned(UInt64.max / 20 * UInt64(min(step, 20))), wasWatched: true)
            }
            bot.sampleCounters(now: Int64(step) * 100_000_000)
            let shown = try counter("n_total", now: Int64(step) * 100_000_000).value.double
            #expect(shown >= last)
            last = shown
        }
        #expect(last == 3 * Double(UInt64.max / 20 * 20))
        // A cell wraps: it counted 5 past 2^64.
        lanes[0].sample(total: .unsigned(.max - 4), wasWatched: true)
        lanes[0].sample(total: .unsigned(5), wasWatched: true)
        bot.sampleCounters(now: 3_000_000_000)
        #expect(try counter("n_total").value.double >= last)
        #expect(try counter("n_total").watchedIncrease >= last)
        // A cell that falls in another way is damaged.
        lanes[1].sample(total: .unsigned(1), wasWatched: true)
        #expect(try counter("n_total").value.double >= last)
    }

    @Test(
        "the quantiles, extremes and sums of infinite samples, since the beginning, in windows and merged",
        arguments: [1.0, -1, 0])
    func histogram(sign: Double) throws {
        let infinities = sign == 0 ? [Double.infinity, -.infinity] : [sign * .infinity]
        let series = try ["x", "y"].map { try register("size", .histogram, labels: [Label("of", $0)]) }
        for instrument in series {
            for value in 1...98 { instrument.recorder?.records.insert(value: Double(value), timeNanoseconds: 0) }
        }
        for infinity in infinities {
            for _ in 0..<3 { series[0].recorder?.records.insert(value: infinity, timeNanoseconds: 0) }
        }
        let sum = sign == 0 ? Double.nan : sign * .infinity
        let plan = SeriesPlan(
            groups: [
                .init(
                    key: SeriesKey(name: "size", labels: []),
                    members: ["x", "y"].map { SeriesKey(name: "size", labels: [Label("of", $0)]) }, isMade: true,
                    conversion: .none(.none))
            ], refused: [])
        guard case .histogram(let merged)? = bot.metrics(now: 1, as: plan).first?.reading else { throw Missing() }
        for summary in try [
            histogram("size", now: 1).total, histogram("size", now: 1).windows[0].summary, merged.total,
            merged.windows[2].summary,
        ] {
            #expect(summary.sum == sum || summary.sum.isNaN && sum.isNaN)
            #expect(summary.finiteSum.truncatingRemainder(dividingBy: 4851) == 0)
            #expect(summary.extremes?.maximum == (sign < 0 ? 98 : .infinity))
            #expect(summary.extremes?.minimum == (sign > 0 ? 1 : -.infinity))
            let highest = try #require(summary.quantiles.last?.value)
            #expect(sign < 0 ? highest <= 98 : highest == .infinity)
            #expect(summary.quantiles[0].value.isFinite)
        }
        #expect(merged.sketch.infinities.positive == (sign < 0 ? 0 : 3))
        #expect(
            merged.classicBuckets.allSatisfy {
                $0.upperBound.isFinite && $0.cumulativeCount < merged.total.count || sign < 0
            })
    }

    @Test("labels and names that differ in their bytes alone are two series, in one order")
    func bytes() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        let instruments = try [composed, decomposed].map {
            try register("fills_total", .counter, labels: [Label("venue", $0)])
        }
        instruments[0].sample(total: .unsigned(100), wasWatched: true)
        instruments[1].sample(total: .unsigned(55), wasWatched: true)
        #expect(instruments[0] !== instruments[1])
        let shown = bot.metrics(now: 0)
        #expect(Set(shown.map(\.labels)).count == 2)
        #expect(shown.map { $0.labels[0].value.utf8.count } == [6, 5])
        let changes = bot.checkpointStates()
        #expect(Set(changes.map { ByteText($0.key) }).count == 2)
        let restored = BotSeries(name: "alpha", options: SeriesOptions(), now: 0)
        for change in changes { restored.restore(change.state) }
        #expect(restored.metrics(now: 0).count == 2)
        let names = [composed, decomposed].map { SeriesKey(name: $0, labels: []) }
        #expect(names[0] != names[1] && (names[0] < names[1]) != (names[1] < names[0]))
    }
}
