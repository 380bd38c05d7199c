import TestSupport
import Testing

@testable import Series

/// A bot with one series of each kind, whose time the test advances.
private final class LevelBot {
    let bot: BotSeries
    private let histogram, ticks, idle, depth: LaneMetric
    private var random = SeededGenerator(seed: 3)
    private var total: UInt64 = 0
    private(set) var second: Int64 = 0
    private(set) var changes: [(second: Int64, level: LevelSnapshot)] = []
    /// A Monday, 00:00 UTC.
    private let begin: Int64 = 1_767_571_200
    private static let nanoseconds: Int64 = 1_000_000_000

    init(_ options: SeriesOptions = SeriesOptions()) throws {
        let made = BotSeries(name: "a", options: options, now: 0)
        made.lane("").isUp = true
        func register(_ name: String, _ kind: MetricKind, _ unit: MetricUnit) throws -> LaneMetric {
            let metric = MetricDescriptor(name: name, help: "", kind: kind, unit: unit, labels: [Label("k", "v")])
            return try #require(made.lane("").register(metric, isCurrent: true))
        }
        bot = made
        histogram = try register("x_seconds", .histogram, .seconds)
        ticks = try register("ticks_total", .counter, .none)
        idle = try register("idle_total", .counter, .none)
        depth = try register("depth", .gauge, .none)
    }

    /// Lets seconds pass, with a number of values and ticks in each.
    func pass(_ seconds: Int64, values: Int = 40, factor: Double = 1, ticks rate: UInt64 = 500) throws {
        let recorder = try #require(histogram.recorder?.records)
        for _ in 0..<seconds {
            second += 1
            let now = second * Self.nanoseconds
            bot.advance(to: now)
            for _ in 0..<values {
                recorder.insert(
                    value: Double.random(in: 1e-5..<2e-5, using: &random) * factor, timeNanoseconds: now - 1)
            }
            total += rate
            ticks.sample(total: .unsigned(total), wasWatched: true)
            idle.sample(total: .unsigned(0), wasWatched: true)
            depth.sample(gauge: (value: .real(5), highest: .real(5)), now: now, options: bot.options)
            bot.sampleCounters(now: now)
            changes += bot.readLevels(seconds: second..<second + 1, now: now, unixSeconds: begin + second)
                .map { (second, $0) }
        }
    }

    func level(_ metric: String, _ statistic: LevelStatistic) -> LevelSnapshot? {
        bot.levels(as: nil).first { $0.metric == metric && $0.statistic == statistic }
    }
}

@Suite struct SeriesLevelTests {
    @Test("every quantile that has values enough, the rates of histograms and counters, and gauges have a level")
    func statistics() throws {
        let scene = try LevelBot()
        try scene.pass(40 * 60)
        let names = Set(scene.bot.levels(as: nil).map { "\($0.metric) \($0.statistic.name)" })
        #expect(
            names == [
                "x_seconds p50", "x_seconds p95", "x_seconds p99", "x_seconds rate", "ticks_total rate", "depth value",
            ])
        let p99 = try #require(scene.level("x_seconds", .quantile(0.99)))
        #expect(p99.state == .usual && p99.labels == [Label("k", "v")] && p99.unit == .seconds)
        let usual = try #require(p99.usual)
        #expect(usual.low < 1.9e-5 && usual.high > 2e-5 && usual.basis == .recent && usual.days == 0)
        // The rate is 500 a second, independent of the minute's count.
        let rate = try #require(scene.level("ticks_total", .rate))
        let usualRate = try #require(rate.usual)
        #expect(abs(rate.value - 500) < 1 && abs(usualRate.level - 500) < 3)
        #expect(scene.level("depth", .value)?.state == .learning)
        #expect(scene.changes.isEmpty)
    }

    @Test("a histogram whose values double is high, and a counter whose feed dries up is low, each within four minutes")
    func shifts() throws {
        let scene = try LevelBot()
        try scene.pass(40 * 60)
        let begun = scene.second
        try scene.pass(300, factor: 2, ticks: 5)
        let found = scene.changes.map { "\($0.level.metric) \($0.level.statistic.name) \($0.level.state)" }
        #expect(
            Set(found) == [
                "x_seconds p50 high", "x_seconds p95 high", "x_seconds p99 high", "ticks_total rate low",
            ], "\(found)")
        #expect(scene.changes.allSatisfy { $0.second - begun <= 240 })
        #expect(scene.level("x_seconds", .rate)?.state == .usual)
        try scene.pass(300)
        #expect(scene.bot.levels(as: nil).allSatisfy { !$0.isUnusual })
    }

    @Test("a histogram that falls silent has a low rate, and its quantiles have no data after half an hour")
    func silent() throws {
        let scene = try LevelBot()
        try scene.pass(40 * 60)
        try scene.pass(32 * 60, values: 0)
        #expect(scene.level("x_seconds", .rate)?.state == .low)
        #expect(scene.level("x_seconds", .rate)?.value == 0)
        #expect(scene.level("x_seconds", .quantile(0.99))?.state == .noData)
    }

    @Test("each series is read once a minute, in one second of it, and not by calls that come in between")
    func cost() throws {
        let scene = try LevelBot()
        try scene.pass(20 * 60)
        func readAll() throws -> Int {
            for second in 0..<60 as Range<Int64> {
                let now = scene.second * 1_000_000_000
                _ = scene.bot.readLevels(seconds: second..<second + 1, now: now, unixSeconds: 0)
            }
            return try #require(scene.level("ticks_total", .rate)).readings
        }
        let before = try readAll()
        // A series that was read a moment ago is not read again, because nothing is known of a whole minute.
        #expect(try readAll() == before)
        #expect((18...20).contains(before))
    }

    @Test("what lacks records is not read, and neither is what came in more than a minute and a half")
    func incomplete() {
        var levels = SeriesLevels()
        let minute: Int64 = 60_000_000_000
        #expect(levels.increase(to: 100, now: 0, isKnown: true) == nil)
        #expect(levels.increase(to: 400, now: minute, isKnown: true)?.increase == 300)
        #expect(levels.increase(to: 500, now: 2 * minute, isKnown: false) == nil)
        #expect(levels.increase(to: 600, now: 3 * minute, isKnown: true) == nil)
        #expect(levels.increase(to: 900, now: 4 * minute, isKnown: true)?.increase == 300)
        #expect(levels.increase(to: 1000, now: 6 * minute, isKnown: true) == nil)
        #expect(levels.increase(to: 1001, now: 6 * minute + 1_000_000_000, isKnown: true) == nil)
    }

    @Test(
        "quantiles need ten values beyond them in a minute",
        arguments: zip([0.5, 0.95, 0.99, 0.999, 0.01], [20, 200, 1000, 10_000, 1000] as [UInt64]))
    func fewest(quantile: Double, values: UInt64) {
        #expect(SeriesLevels.fewestValues(of: quantile) == values)
    }

    @Test("levels are kept by series, once a half hour or when their state changes, and come back with them")
    func kept() throws {
        let scene = try LevelBot()
        try scene.pass(40 * 60)
        let all = scene.bot.takeLevelChanges(all: false, limit: .max)
        #expect(all.count == 3 && scene.bot.takeLevelChanges(all: false, limit: .max).isEmpty)
        try scene.pass(60)
        #expect(scene.bot.takeLevelChanges(all: false, limit: .max).isEmpty)
        try scene.pass(300, factor: 2)
        #expect(scene.bot.takeLevelChanges(all: false, limit: .max).count == 1)
        #expect(scene.bot.takeLevelChanges(all: true, limit: 2).count == 2)
        let kept = scene.bot.takeLevelChanges(all: true, limit: .max)
        let other = try LevelBot()
        other.bot.restore(levels: Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.levels) }))
        // Nothing was read since, so the old states are not the present ones.
        #expect(other.bot.levels(as: nil).allSatisfy { $0.state == .noData })
        #expect(other.bot.takeLevelChanges(all: true, limit: .max).map(\.levels) == kept.map(\.levels))
    }

    @Test("levels are shown in the unit and under the name of the exports; rates of values have none")
    func converted() throws {
        let scene = try LevelBot()
        try scene.pass(40 * 60)
        let own = SeriesKey(name: "x_seconds", labels: [Label("k", "v")])
        let shown = SeriesKey(name: "x_us", labels: [])
        let conversion = UnitConversion(
            own: .seconds, unit: .microseconds, scale: try #require(MetricUnit.seconds.scale(to: .microseconds)))
        let group = SeriesPlan.Group(key: shown, members: [own], isMade: false, conversion: conversion)
        let levels = scene.bot.levels(as: [own: group])
        #expect(Set(levels.map(\.metric)) == ["x_us"])
        #expect(levels.allSatisfy { $0.unit == .microseconds && $0.labels == [] })
        for level in levels {
            let before = try #require(scene.level("x_seconds", level.statistic))
            let factor = level.statistic == .rate ? 1 : 1e6
            #expect(abs(level.value / before.value / factor - 1) < 1e-9)
            let (usual, own) = (try #require(level.usual), try #require(before.usual))
            #expect(abs(usual.high / own.high / factor - 1) < 1e-9)
        }
        // A series that is shown together with others has the level of none of them.
        var merged = group
        merged.members.append(SeriesKey(name: "y", labels: []))
        #expect(scene.bot.levels(as: [own: merged]).isEmpty && scene.bot.levels(as: [:]).isEmpty)
    }
}
