import FoundationEssentials
import Series
import Testing

@testable import Exposition

/// `/latest` as a client would decode it. A missing key is an error, except where null is allowed.
struct Latest: Decodable {
    struct Bot: Decodable {
        let bot: String
        let up: Bool
        let state: String
        let process: Process?
        let labels: [String: String]
        let rings: [Ring]
        let metrics: [Metric]
        let levels: [Level]
    }

    struct Process: Decodable, Equatable {
        let count: Int
        let cpu_seconds: Double?
        let resident_memory: UInt64?
    }

    struct Level: Decodable {
        let metric, lane, statistic, unit, state: String
        let labels: [String: String]
        let since, value: Double
        let usual, usual_low, usual_high: Double?
        let basis: String?
        let days, readings, readings_needed: Int
    }

    struct Ring: Decodable {
        let lane: String
        let pid: Int
        let position, drained, backlog: UInt64
        let refused_metrics: UInt64
        let disabled: Bool
        let backlog_max: UInt64?
        let lag, lag_worst: Double?
        let lost: [String: UInt64]
    }

    struct Metric: Decodable {
        let name, kind, unit: String
        let labels: [String: String]
        let value: Double?
        let rate: Double?
        let lane: String?
        let calls, count: UInt64?
        let sum, min, max, p50, p95, p99, p999: Double?
        let windows: [String: [String: Scalar?]]
    }

    enum Scalar: Decodable, Equatable {
        case number(Double)
        case bool(Bool)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else {
                self = .number(try container.decode(Double.self))
            }
        }
    }

    struct Collector: Decodable {
        struct Cycle: Decodable {
            let count: UInt64
            let p50, p99: Double?
            let worst, worst_recent: Double?
        }

        struct Clock: Decodable {
            let source: String
            let drift_ratio, last_step, suspended: Double
            let steps, suspends, tick_jumps: UInt64
        }

        let version: String
        let uptime: Double
        let drain_cycle: Cycle
        let record_cost: Double?
        let clock: Clock
    }

    let time: Double
    let collector: Collector
    let bots: [Bot]
    let slo, alerts: [String]
}

struct Health: Decodable {
    struct Bot: Decodable {
        let bot: String
        let up: Bool
        let last_record_age: Double?
        let lost: UInt64
    }

    let status, version: String
    let uptime: Double
    let bots: [Bot]
    let exports: [String]
}

@Suite struct JSONTests {
    private func latest(_ bots: BotSnapshot...) throws -> Latest {
        try JSONDecoder().decode(Latest.self, from: Data(LatestJSON.render(snapshot(bots))))
    }

    @Test("a bot is shown with its labels, its rings and every reason for loss")
    func bots() throws {
        let latest = try latest(bot("alpha", labels: [Label("venue", "s\"im")], rings: [ring("md", lost: [.clock: 5])]))
        let bot = try #require(latest.bots.first)
        #expect(latest.time == 1_700_000_000)
        #expect(bot.bot == "alpha" && bot.up && bot.labels == ["venue": "s\"im"])
        let ring = try #require(bot.rings.first)
        #expect(ring.lane == "md" && ring.pid == 42)
        #expect([ring.position, ring.drained, ring.backlog] == [100, 80, 15] && ring.refused_metrics == 3)
        #expect(ring.lost.count == LossReason.allCases.count && ring.lost["clock"] == 5)
    }

    @Test("a bot is shown with its state and its processes; one without a process has no memory")
    func processes() throws {
        var process = BotProcessSnapshot()
        process.totals = BotProcessSnapshot.Totals()
        process.totals?.cpuSeconds = 1.5
        var gone = bot("gone")
        gone.process = process
        (process.processes, process.residentBytes) = (2, 4096)
        var running = bot("running")
        running.process = process
        let latest = try latest(gone, running, bot("unseen"))
        #expect(
            latest.bots.map(\.process) == [
                Latest.Process(count: 0, cpu_seconds: 1.5, resident_memory: nil),
                Latest.Process(count: 2, cpu_seconds: 1.5, resident_memory: 4096), nil,
            ])
        #expect(latest.bots.allSatisfy { ["up", "silent", "unknown"].contains($0.state) })
    }

    @Test("the collector is shown with its own work, and a ring with how far behind it is")
    func selfAccount() throws {
        var late = ring("a")
        late.hasDisabledMetrics = true
        (late.backlogMaximum, late.lag, late.worstRecentLag) = (77, 0.25, 1.5)
        var made = snapshot([bot("alpha", rings: [late, ring("b")])])
        made.collector.worstRecentCycle = 0.5
        let latest = try JSONDecoder().decode(Latest.self, from: Data(LatestJSON.render(made)))
        #expect(latest.collector.version == "1.2.3" && latest.collector.uptime == 12.5)
        let cycle = latest.collector.drain_cycle
        #expect(cycle.count == 9 && cycle.p50 == 2 && cycle.worst == 3 && cycle.worst_recent == 0.5)
        #expect(latest.collector.record_cost == nil)
        let rings = try #require(latest.bots.first).rings
        #expect(rings[0].backlog_max == 77 && rings[0].lag == 0.25 && rings[0].lag_worst == 1.5)
        #expect(rings.map(\.disabled) == [true, false])
        #expect(rings[1].backlog_max == nil && rings[1].lag == nil && rings[1].lag_worst == nil)
    }

    @Test("a counter has its value, its rate and what it grew by in each window")
    func counters() throws {
        let metric = try #require(try latest(bot("alpha", [counter("x_total", .unsigned(5))])).bots[0].metrics.first)
        #expect(metric.kind == "counter" && metric.value == 5 && metric.rate == nil && metric.unit == "")
        #expect(metric.windows["5s"] == ["increase": .number(2), "rate": .number(0.5), "complete": .bool(true)])
        #expect(Set(metric.windows.keys) == ["1s", "5s", "1m"])
    }

    @Test("a gauge has its lane, its value and its highest value")
    func gauges() throws {
        let metric = gauge("x_usd", .real(-1.5), highest: .real(2), unit: .usd, lane: "md")
        let found = try #require(try latest(bot("alpha", [metric])).bots[0].metrics.first)
        #expect(found.kind == "gauge" && found.value == -1.5 && found.max == 2 && found.lane == "md")
        #expect(found.unit == "usd")
        let window: [String: Latest.Scalar?] = [
            "min": .number(-1), "max": .number(2), "last": .number(1), "complete": .bool(true),
        ]
        #expect(found.windows["1m"] == window)
    }

    @Test("a histogram has its totals and, in each window, its quantiles, its loss and whether it is complete")
    func histograms() throws {
        let windows = [summary(count: 2, sum: 1), emptySummary, summary(count: 3, sum: 1)]
        let metric = histogram("x_seconds", total: summary(count: 9, sum: 18), windows: windows)
        let found = try #require(try latest(bot("alpha", [metric])).bots[0].metrics.first)
        #expect(found.calls == 10 && found.count == 9 && found.sum == 18)
        #expect(found.min == 1 && found.max == 3 && found.p50 == 2 && found.p999 == 2.998)
        let window = try #require(found.windows["1s"])
        #expect(window["count"] == .number(2) && window["p50"] == .number(2) && window["lost"] == .number(7))
        #expect(window["complete"] == .bool(false))
        #expect(
            Set(window.keys)
                == Set("count rate lost complete p50 p95 p99 p999 min max".split(separator: " ").map(String.init)))
        let empty = try #require(found.windows["5s"])
        #expect(empty["count"] == .number(0) && empty["p50"] == .some(nil) && empty["min"] == .some(nil))
    }

    @Test("a level has its range and since when, and null while it learns")
    func levels() throws {
        var made = bot("alpha")
        let usual = LevelSnapshot.UsualRange(low: 1, level: 2, high: 4.5, basis: .timeOfDay, days: 5)
        made.levels = [
            LevelSnapshot(
                metric: "x_seconds", labels: [Label("k", "v")], unit: .seconds, statistic: .quantile(0.999),
                state: .high, sinceUnixSeconds: 1_700_000_000, value: 9, usual: usual, readings: 60, neededReadings: 30),
            LevelSnapshot(
                metric: "depth", lane: "md", unit: .none, statistic: .value, state: .learning, sinceUnixSeconds: 7,
                value: 3, usual: nil, readings: 4, neededReadings: 30),
        ]
        let levels = try latest(made).bots[0].levels
        #expect(levels.map(\.metric) == ["x_seconds", "depth"] && levels.map(\.statistic) == ["p999", "value"])
        #expect(levels[0].state == "high" && levels[0].since == 1_700_000_000 && levels[0].labels == ["k": "v"])
        #expect(levels[0].usual_low == 1 && levels[0].usual == 2 && levels[0].usual_high == 4.5)
        #expect(levels[0].basis == "time_of_day" && levels[0].days == 5 && levels[0].unit == "seconds")
        #expect(levels[1].state == "learning" && levels[1].usual == nil && levels[1].basis == nil)
        #expect(levels[1].lane == "md" && levels[1].readings == 4 && levels[1].readings_needed == 30)
    }

    @Test("keys are there with null where there is no record or the bot is down")
    func nulls() throws {
        let metrics = [histogram("x_seconds"), gauge("g", .real(.nan))]
        let down = try latest(bot("alpha", metrics, isUp: false)).bots[0]
        let histogram = try #require(down.metrics.first)
        #expect(histogram.count == 0 && histogram.sum == 0 && histogram.p50 == nil)
        #expect(histogram.windows["1s"]?["count"] == .some(nil))
        #expect(histogram.windows["1s"]?.count == 10)
        let text = String(decoding: LatestJSON.render(snapshot([bot("alpha", metrics)])), as: UTF8.self)
        #expect(text.contains("\"p999\":null"))
        #expect(text.contains("\"value\":null"))
        #expect(text.hasSuffix("\"slo\":[],\"alerts\":[],\"silences\":[],\"waiting\":[]}"))
    }

    @Test("the machine's clocks stand under the collector, and are null in a replay, which has none")
    func clocks() throws {
        let clock = try latest(bot("alpha")).collector.clock
        #expect(clock.source == "tsc" && clock.drift_ratio == -2.5e-7 && clock.steps == 2 && clock.last_step == -0.5)
        #expect(clock.suspends == 1 && clock.suspended == 60 && clock.tick_jumps == 3)
        var replayed = snapshot([])
        replayed.collector.clock = nil
        #expect(String(decoding: LatestJSON.render(replayed), as: UTF8.self).contains("\"clock\":null"))
    }

    @Test("integers are exact and a time keeps its nanoseconds")
    func exactness() {
        let bots = [bot("a", [counter("x_total", .unsigned(.max))])]
        let bytes = LatestJSON.render(snapshot(bots, unixNanoseconds: 1_700_000_000_000_000_042))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("{\"time\":1700000000.000000042,"))
        #expect(text.contains("\"value\":18446744073709551615,"))
    }

    @Test("a quantile's key is its digits after the point")
    func quantileKeys() {
        let keys = [0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.05, 0, 1].map(LatestJSON.key(ofQuantile:))
        #expect(keys == ["p50", "p90", "p95", "p99", "p999", "p9999", "p05", "p0", "p100"])
    }

    @Test("a configured quantile has its key, in totals and in windows")
    func configuredQuantiles() throws {
        let metric = histogram("x_seconds", total: summary(count: 9, sum: 18), windows: [summary(count: 2, sum: 1)])
        let whole = String(
            decoding: LatestJSON.render(snapshot([bot("a", [metric])]), quantiles: [0.5, 0.9]), as: UTF8.self)
        // The quantiles of the collector's own cycle are not configured.
        let text = whole[try #require(whole.firstRange(of: "\"bots\"")).lowerBound...]
        #expect(text.contains("\"p50\":2.0,\"p90\":null"))
        #expect(!text.contains("p95"))
    }

    @Test("health shows the state of each bot and its losses")
    func health() throws {
        let rings = [ring(lost: [.lapped: 3, .clock: 1]), ring("md", age: 0.125, lost: [.refused: 2])]
        let bytes = HealthJSON.render(snapshot([bot("a", rings: rings), bot("b", isUp: false, rings: [])]))
        let health = try JSONDecoder().decode(Health.self, from: Data(bytes))
        #expect(health.status == "ok" && health.version == "1.2.3" && health.uptime == 12.5)
        #expect(health.bots.map(\.bot) == ["a", "b"] && health.bots.map(\.up) == [true, false])
        #expect(health.bots.map(\.lost) == [6, 0] && health.bots.map(\.last_record_age) == [0.125, nil])
        let failed = HealthJSON.renderFailure(version: "1.2.3", uptimeSeconds: 3)
        #expect(try JSONDecoder().decode(Health.self, from: Data(failed)).status == "failed")
    }

    @Test(
        "health is degraded with the reasons while something beside the drain fails, and names the rings not read")
    func degraded() throws {
        struct Degraded: Decodable {
            struct Ring: Decodable {
                let ring, cause, reason: String
                let owner: UInt32?
            }
            let status: String
            let reasons: [String]?
            let unread_rings: [Ring]?
        }
        func health(_ change: (inout CollectorSnapshot) -> Void) throws -> Degraded {
            var shot = snapshot([])
            change(&shot.collector)
            return try JSONDecoder().decode(Degraded.self, from: Data(HealthJSON.render(shot)))
        }
        var failing = ExportStatus(name: "otlp")
        failing.isOK = false
        let cases: [((inout CollectorSnapshot) -> Void, String)] = [
            ({ $0.checkpointFailure = "no space" }, "checkpoint_failure: no space"),
            ({ $0.services = [ServiceStatus(name: "history", failure: "full")] }, "history: full"),
            ({ $0.exports = [failing] }, "exports: the last request failed to otlp; see the log"),
            (
                {
                    $0.configuration = ConfigurationStatus(isLastReloadSuccessful: false, lastSuccessUnixNanoseconds: 1)
                },
                "configuration: the last reload was refused, the old configuration is in force; see the log"
            ),
            (
                { $0.skippedRings = [SkippedRing(ring: "a", reason: .damaged, owner: 1, detail: "x")] },
                "unread_rings: 1 cannot be read"
            ),
        ]
        for (change, reason) in cases {
            let degraded = try health(change)
            #expect(degraded.status == "degraded" && degraded.reasons == [reason])
        }
        let foreign = SkippedRing(ring: "a.md", reason: .owner, owner: 65534, detail: "add --ring-owner 65534")
        let good = try health { $0.skippedRings = [foreign] }
        #expect(good.status == "ok" && good.reasons == nil)
        let ring = try #require(good.unread_rings?.first)
        #expect(ring.ring == "a.md" && ring.cause == "owner" && ring.owner == 65534)
        #expect(ring.reason == "add --ring-owner 65534")
        var shot = snapshot([])
        shot.collector.skippedRings = [foreign]
        let metrics = String(decoding: PrometheusText.render(Families(shot, process: nil)), as: UTF8.self)
        #expect(metrics.contains("\nringside_skipped_rings{reason=\"owner\"} 1\n"))
        #expect(metrics.contains("\nringside_skipped_rings{reason=\"mode\"} 0\n"))
    }

    @Test("whatever bots register, the JSON decodes", arguments: 0..<100)
    func hostile(seed: UInt64) throws {
        let snapshot = hostileSnapshot(seed: seed)
        let decoded = try JSONDecoder().decode(Latest.self, from: Data(LatestJSON.render(snapshot)))
        #expect(decoded.bots.map { $0.metrics.map(\.name) } == snapshot.bots.map { $0.metrics.map(\.name) })
    }

    @Test("numbers read back as they were, whatever their bits")
    func numbers() throws {
        var random = SplitMix(state: 7)
        var values: [Double] = [
            0, -0.0, 1, -1, 1e15, 999_999_999_999_999, 1e16, 0.1, .leastNonzeroMagnitude, 1.7976931348623157e308,
        ]
        for _ in 0..<2000 { values.append(Double(bitPattern: random.next())) }
        for value in values where value.isFinite {
            var bytes: [UInt8] = []
            bytes.append(finite: value)
            #expect(Double(String(decoding: bytes, as: UTF8.self))?.bitPattern == value.bitPattern)
            #expect(try JSONDecoder().decode([Double].self, from: Data([0x5B] + bytes + [0x5D])) == [value])
        }
        for value in [Int64.min, -1, 0, 9, 10, .max] {
            var bytes: [UInt8] = []
            bytes.append(decimal: value)
            #expect(String(decoding: bytes, as: UTF8.self) == "\(value)")
        }
    }
}
