import Rules
import Series
import Sketch
import TestSupport
import Testing

/// Tests renames into other units, and rules that keep only certain series.
@Suite struct UnitRuleTests {
    private static let second: Int64 = 1_000_000_000

    private func head(_ name: String, _ unit: MetricUnit = .none, _ ordinal: UInt64 = 0, _ labels: [Label] = [])
        -> SeriesHead
    {
        SeriesHead(key: SeriesKey(name: name, labels: labels), kind: .counter, unit: unit, ordinal: ordinal)
    }

    @Test(
        "a rename shows the values in the unit of the new name, by the units' own factor or by the rule's",
        arguments: [
            ("order_seconds", MetricUnit.seconds, "order_latency_us", nil, MetricUnit.us, 1e6),
            ("order_seconds", .seconds, "order_seconds_2", nil, .seconds, 1),
            ("order_seconds", .seconds, "order", nil, .seconds, 1),
            ("spent_seconds_total", .seconds, "spent_ms_total", nil, .ms, 1e3),
            ("fees_usd_total", .usd, "fees_total_usd", nil, .usd, 1),
            ("fill_ratio", .ratio, "fill_percent", nil, .percent, 100),
            ("fill_ratio", .ratio, "fill_score", nil, .ratio, 1),
            ("held_bytes", .bytes, "held_kib", nil, .kib, 1.0 / 1024),
            ("wait_ms", .none, "wait_seconds", nil, .seconds, 1e-3), ("wait_ms", .none, "pause_ms", nil, .ms, 1),
            ("depth", .none, "queue_depth", nil, .none, 1), ("depth", .none, "depth_bytes", 64, .bytes, 64),
            ("order_seconds", .seconds, "order_us", 1e6, .us, 1e6), ("order_seconds", .seconds, "order_us", 2, .us, 2),
            ("order_seconds", .seconds, "order", 1e6, .none, 1e6), ("order_seconds", .seconds, "order", 1, .seconds, 1),
            ("held_bytes", .bytes, "held_mb", 1e-6, .none, 1e-6),
        ] as [(String, MetricUnit, String, Double?, MetricUnit, Double)])
    func units(
        name: String, unit: MetricUnit, rename: String, scale: Double?, shown: MetricUnit, factor: Double
    ) throws {
        let rule = MetricRule(match: Glob(name), rename: rename, scale: scale)
        let plan = MetricRules([rule]).plan([head(name, unit)])
        let group = try #require(plan.groups.first)
        #expect(group.key.name == rename && group.conversion.unit == shown && plan.hidden.isEmpty)
        #expect(
            abs(group.conversion.scale.factor - factor) <= factor.ulp
                && group.conversion.scale.isIdentity == (factor == 1))
    }

    @Test("a series whose unit does not become that of its new name is in no group, and is named with both")
    func refusals() {
        let rule = MetricRule(match: .all, rename: "x_us")
        let plan = MetricRules([rule]).plan([
            head("a_usd", .usd), head("b", .none, 1), head("c_seconds", .seconds, 2), head("d_bytes", .none, 3),
        ])
        #expect(plan.groups.map(\.members) == [[SeriesKey(name: "c_seconds", labels: [])]])
        #expect(plan.hidden == [.unit: 3] && plan.unconverted.map(\.key.name) == ["a_usd", "b", "d_bytes"])
        #expect(
            plan.unconverted.map(\.reason).prefix(2) == [
                "a rule renames it to x_us, and it is in usd, which cannot be converted into us; give the rule a scale, or a name without _us",
                "a rule renames it to x_us, and it has no unit, which cannot be converted into us; give the rule a scale, or a name without _us",
            ])
        #expect(rule.unitMismatch == nil)
        #expect(MetricRule(match: Glob("*_usd_total"), rename: "x_us").unitMismatch! == (.usd, .us))
        #expect(MetricRule(match: Glob("a_usd"), rename: "x_us", scale: 2).unitMismatch == nil)
    }

    @Test("series of different units under one name stay apart, and those of one unit become one")
    func apart() {
        let rules = MetricRules([MetricRule(match: .all, rename: "x_us")])
        let plan = rules.plan([
            head("a_seconds", .seconds), head("b_seconds", .seconds, 1), head("c_ms", .none, 2),
        ])
        #expect(
            Set(plan.groups.map(\.members.count)) == [1, 2] && plan.groups.allSatisfy { $0.conversion.unit == .us })
    }

    @Test(
        "only what fits one of the rules that keep is shown, whatever else changes it, and of other bots everything is")
    func keep() {
        let heads = [
            head("md_a_total"), head("md_b_total", .none, 1), head("orders_total", .none, 2, [Label("venue", "X")]),
            head("orders_total", .none, 3, [Label("venue", "Y")]),
        ]
        func shown(_ rules: [MetricRule], bot: String = "alpha") -> [String] {
            MetricRules(rules).forBot(bot).plan(heads).groups.map {
                ([$0.key.name] + $0.key.labels.map(\.value)).joined(separator: " ")
            }
        }
        let md = MetricRule(match: Glob("md_*"), keep: true)
        #expect(shown([md]) == ["md_a_total", "md_b_total"])
        #expect(MetricRules([md]).plan(heads).hidden == [.keep: 2])
        #expect(
            shown([md, MetricRule(match: Glob("orders_total"), labels: [Label("venue", "X")], keep: true)])
                == ["md_a_total", "md_b_total", "orders_total X"])
        // Other rules change the kept series, in any order, and bring nothing back.
        let rename = MetricRule(match: Glob("md_a_total"), rename: "a_total")
        let other = MetricRule(match: Glob("orders_*"), rename: "x_total")
        for rules in [[md, rename, other], [rename, other, md], [other, md, rename]] {
            #expect(shown(rules) == ["a_total", "md_b_total"])
        }
        #expect(shown([md, MetricRule(match: Glob("md_b_*"), drop: true)]) == ["md_a_total"])
        var ofBot = md
        ofBot.bot = Glob("al*")
        #expect(shown([ofBot]).count == 2 && shown([ofBot], bot: "beta").count == 4)
        #expect(shown([MetricRule(match: Glob("none"), keep: true)]).isEmpty)
    }

    @Test("a traced record is shown as its metric is: kept, renamed, or not at all")
    func traces() {
        let rules = [
            MetricRule(match: Glob("a_*"), keep: true), MetricRule(match: Glob("a_seconds"), rename: "b_us"),
            MetricRule(match: Glob("a_c_seconds"), rename: "c_usd"),
        ]
        #expect(rules.shown("a_seconds", [], of: "alpha")?.name == "b_us")
        #expect(rules.shown("a_other_seconds", [], of: "alpha")?.name == "a_other_seconds")
        #expect(rules.shown("z_seconds", [], of: "alpha") == nil && rules.shown("a_c_seconds", [], of: "alpha") == nil)
        let ofBot = [MetricRule(match: Glob("a_*"), bot: Glob("beta"), keep: true)]
        #expect(ofBot.shown("z_seconds", [], of: "alpha") != nil && ofBot.shown("z_seconds", [], of: "beta") == nil)
    }

    /// Returns a bot with series of every kind, each with random values.
    private func bot(_ random: inout SeededGenerator) throws -> BotSeries {
        let bot = BotSeries(name: "alpha", options: SeriesOptions(), now: 0)
        let lane = bot.lane("")
        lane.beginLife()
        lane.isUp = true
        func register(_ name: String, _ kind: MetricKind, _ unit: MetricUnit) throws -> LaneMetric {
            let metric = MetricDescriptor(name: name, help: "Help.", kind: kind, unit: unit, labels: [])
            return try #require(lane.register(metric, isCurrent: true))
        }
        let durations = try register("a_seconds", .histogram, .seconds)
        for record in 1...Int.random(in: 1...400, using: &random) {
            let value = Double(Int.random(in: 1...5_000_000, using: &random)) * 1e-9
            durations.recorder?.records.insert(value: value, timeNanoseconds: Self.second / 2, weight: 1)
            durations.watch?.recorder.pointee.count(value: value, weight: 1)
            durations.note(exemplar: value, time: Int64(record), traceID: TraceID(record))
        }
        durations.sample(calls: 7, abandoned: 2)
        let spent = try register("b_seconds_total", .counter, .seconds)
        spent.sample(total: .real(Double.random(in: 0...100, using: &random)), wasWatched: true)
        let sent = try register("c_bytes_total", .counter, .bytes)
        sent.sample(total: .unsigned(.random(in: 0...1_000_000, using: &random)), wasWatched: true)
        let level = Double.random(in: -1...1, using: &random)
        try register("d_ratio", .gauge, .ratio)
            .sample(gauge: (.real(level), .real(level + 1)), now: 0, options: bot.options)
        let open = try register("e_bytes", .upDownCounter, .bytes)
        open.sample(total: .signed(.random(in: -1000...1000, using: &random)), wasWatched: true)
        return bot
    }

    @Test(
        "every figure of a converted series is that of the series times one factor, and every count is the same",
        arguments: 1...50)
    func figures(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let bot = try bot(&random)
        let renames: [(String, String, Double)] = [
            ("a_seconds", "a_us", 1e6), ("b_seconds_total", "b_ms_total", 1e3),
            ("c_bytes_total", "c_kib_total", 1.0 / 1024),
            ("d_ratio", "d_percent", 100), ("e_bytes", "e_bits", 8),
        ]
        let rules = MetricRules(renames.map { MetricRule(match: Glob($0.0), rename: $0.1) })
        let plain = bot.metrics(now: Self.second)
        let converted = bot.metrics(now: Self.second, as: rules.plan(bot.heads))
        #expect(converted.map(\.name) == renames.map(\.1) && plain.map(\.name) == renames.map(\.0))
        for ((before, after), rename) in zip(zip(plain, converted), renames) {
            #expect(
                after.createdUnixSeconds == before.createdUnixSeconds && after.help.hasPrefix("Help. Converted from "))
            var check = FigureCheck(factor: rename.2)
            check.compare(before.reading, after.reading)
            #expect(check.problems.isEmpty, "\(rename.1): \(check.problems)")
            #expect(check.count > 4)
        }
    }

    @Test("late minutes are converted with the series that they are of")
    func late() throws {
        let rule = MetricRules([MetricRule(match: .all, rename: "b_us")])
        let group = try #require(rule.plan([head("a_seconds", .seconds)]).groups.first)
        var sketch = ExponentialSketch()
        for value in [0.001, 0.25] { sketch.insert(value) }
        let metric = MetricDescriptor(name: "a_seconds", help: "", kind: .histogram, unit: .seconds, labels: [])
        let minutes: [Int64: LateMinute] = [
            1: .histogram(
                LateHistogram(failed: 1, sum: 0.251, minimum: 0.001, maximum: 0.25, sketch: sketch.snapshot())),
            2: .gauge(minimum: -1, maximum: 0.5, last: 0.25),
        ]
        let shown = LateSeries(bot: "alpha", metric: metric, minutes: minutes).shown(in: group)
        #expect(shown.metric.name == "b_us" && shown.metric.unit == .us)
        #expect(shown.minutes[2] == .gauge(minimum: -1e6, maximum: 5e5, last: 2.5e5))
        guard case .histogram(let histogram)? = shown.minutes[1] else { throw Missing() }
        #expect(histogram.sum == 251_000 && histogram.minimum == 1000 && histogram.maximum == 250_000)
        #expect(histogram.failed == 1 && histogram.sketch == sketch.snapshot().scaled(by: 1e6))
    }

    private struct Missing: Error {}
}

/// Compares readings before and after a conversion.
private struct FigureCheck {
    let factor: Double
    var count = 0
    var problems: [String] = []

    private mutating func expect(_ before: Double, _ after: Double, times factor: Double, _ what: String) {
        count += 1
        let expected = before * factor
        if abs(after - expected) > 4 * expected.ulp { problems.append("\(what): \(before) became \(after)") }
    }

    private mutating func expect(_ before: Double, _ after: Double, _ what: String) {
        expect(before, after, times: factor, what)
    }

    private mutating func same(_ before: UInt64, _ after: UInt64, _ what: String) {
        if before != after { problems.append("\(what): \(before) became \(after)") }
    }

    mutating func compare(_ before: MetricSnapshot.Reading, _ after: MetricSnapshot.Reading) {
        switch (before, after) {
        case (.counter(let before), .counter(let after)), (.upDownCounter(let before), .upDownCounter(let after)):
            expect(before.value.double, after.value.double, "total")
            expect(before.watchedIncrease, after.watchedIncrease, "watched")
            for (before, after) in zip(before.windows, after.windows) {
                expect(before.increase, after.increase, "increase")
                expect(before.rate, after.rate, "rate")
            }
        case (.gauge(let before), .gauge(let after)):
            expect(before.value.double, after.value.double, "value")
            expect(before.highest.double, after.highest.double, "highest")
            for (before, after) in zip(before.windows, after.windows) {
                expect(before.minimum, after.minimum, "minimum")
                expect(before.maximum, after.maximum, "maximum")
                expect(before.last, after.last, "last")
            }
        case (.histogram(let before), .histogram(let after)): compare(before, after)
        default: problems.append("another kind")
        }
    }

    private mutating func compare(_ before: HistogramSnapshot, _ after: HistogramSnapshot) {
        same(before.calls, after.calls, "calls")
        same(before.abandoned, after.abandoned, "abandoned")
        same(before.sketch.count, after.sketch.count, "sketch")
        compare(before.total, after.total)
        for (before, after) in zip(before.windows, after.windows) {
            compare(before.summary, after.summary)
            expect(before.rate, after.rate, times: 1, "rate of values")
        }
        same(UInt64(before.classicBuckets.count), UInt64(after.classicBuckets.count), "buckets")
        for (before, after) in zip(before.classicBuckets, after.classicBuckets) {
            expect(before.upperBound, after.upperBound, "edge")
            same(before.cumulativeCount, after.cumulativeCount, "bucket")
        }
        same(UInt64(before.exemplars.count), UInt64(after.exemplars.count), "exemplars")
        for (one, other) in zip(before.exemplars, after.exemplars) {
            expect(one.value, other.value, "exemplar")
            let places = [(before, one), (after, other)].map { histogram, exemplar in
                histogram.classicBuckets.firstIndex { exemplar.value <= $0.upperBound }
            }
            if places[0] != places[1] || one.traceID != other.traceID { problems.append("exemplar moved") }
        }
        // A bucket of the sketch has an error of half a bucket at most.
        let figures = [before, after].map { histogram in
            ExponentialSketch(SketchContent(buckets: histogram.sketch)).values(
                atQuantiles: [0.01, 0.5, 0.99], minimum: -.infinity, maximum: .infinity)
        }
        for (one, other) in zip(figures[0], figures[1]) where abs(other / (one * factor) - 1) > 0.0028 {
            problems.append("quantile of the sketch: \(one) became \(other)")
        }
    }

    private mutating func compare(_ before: HistogramSummary, _ after: HistogramSummary) {
        same(before.count, after.count, "count")
        expect(before.sum, after.sum, "sum")
        expect(before.finiteSum, after.finiteSum, "finite sum")
        if let one = before.extremes, let other = after.extremes {
            expect(one.minimum, other.minimum, "minimum")
            expect(one.maximum, other.maximum, "maximum")
        }
        for (before, after) in zip(before.quantiles, after.quantiles) { expect(before.value, after.value, "quantile") }
    }
}
