import Exposition
import FoundationEssentials
import Glibc
import Platform
import RingReader
import Rules
import Series
import Synchronization
import TestSupport
import Testing

@testable import Configuration
@testable import Drain

/// Invented bots.
private struct MadeUpBots: RuleBotSource {
    var bots: [BotSnapshot]
    var botSeries: [BotSeries] = []
    var isDead = false
    func availability(of bot: BotSeries, now: MonotonicTime) -> BotAvailability { isDead ? .down : .up }
    func levels(of bot: String) -> [LevelSnapshot] { bots.first { $0.name == bot }?.levels ?? [] }
    func snapshots(now: MonotonicTime, named names: Set<String>?) -> [BotSnapshot] {
        bots.map { bot in
            var bot = bot
            if let names {
                bot.metrics.removeAll { !names.contains($0.name) }
                bot.levels = []
            }
            return bot
        }
    }
}

/// A rule evaluator under a clock and a log of the test's own.
private final class Scene {
    let evaluator: RuleEvaluator
    let mailbox: AlertMailbox
    var registry = MadeUpBots(bots: [])
    private(set) var now: MonotonicTime
    private var log: [Int32] = [0, 0]

    /// - Parameter earlier: A scene that this one continues, a second later, as a restarted collector does.
    init(_ text: String, after earlier: Scene? = nil) throws {
        mailbox = AlertMailbox(wakeup: try Wakeup())
        #expect(pipe(&log) == 0)
        now = earlier.map { $0.now + 1_000_000_000 } ?? TimeSource.system.monotonic()
        evaluator = RuleEvaluator(logger: Logger(descriptor: log[1]), time: .system, mailbox: mailbox)
        if let earlier {
            evaluator.restore(
                earlier.evaluator.states(earlier.registry, now: earlier.now), alerts: earlier.evaluator.alertStates,
                silences: [],
                moment: RuleMoment(
                    ruleNanoseconds: earlier.evaluator.moment(now: earlier.now).ruleNanoseconds,
                    monotonicNanoseconds: TimeSource.system.monotonic() - (now - earlier.now)), isSameBoot: true)
        }
        evaluator.use(try CollectorConfiguration(Array(text.utf8), file: "f"))
    }

    deinit { for end in log { close(end) } }

    /// Lets seconds pass. Returns the changes of objectives, and the number of those that fire.
    func passObjectives(_ seconds: Int64) -> (changes: [ObjectiveChange], firing: Int?) {
        var changes: [ObjectiveChange] = []
        var firing: Int?
        for _ in 0..<seconds {
            now += 1_000_000_000
            evaluator.doWork(registry, now: now) { emptySnapshot().collector }
            let batch = mailbox.take()
            changes += batch.objectives.map(\.change)
            firing = batch.firingObjectives?.count ?? firing
        }
        return (changes, firing)
    }

    /// Lets seconds pass, and returns the alerts that began or ended.
    func pass(_ seconds: Int64) -> [String] {
        for _ in 0..<seconds {
            now += 1_000_000_000
            evaluator.doWork(registry, now: now) { emptySnapshot().collector }
        }
        return mailbox.take().changes.map { "\($0.alert.alert) \($0.alert.bot) \($0.alert.state)" }
    }

    var latest: Snapshot {
        var snapshot = emptySnapshot()
        evaluator.complete(&snapshot, registry, now: now)
        return snapshot
    }

    /// Returns the log lines since the last call.
    func logged() -> [Substring] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        #expect(fcntl(log[0], F_SETFL, O_NONBLOCK) == 0)
        let count = max(0, read(log[0], &bytes, bytes.count))
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
    }
}

private func bot(_ name: String = "alpha", _ metrics: [MetricSnapshot] = []) -> BotSnapshot {
    var ring = RingSnapshot(
        lane: "md", isUp: true, pid: 1, position: 9, drained: 9, backlog: 8, lost: [.lapped: 3], late: 1, future: 1,
        lastRecordAge: 1, recordOverheadRatio: 0.5, counterOverheadRatio: 0.25, longestReadGap: 2, refusedMetrics: 1,
        conflictingMetrics: ["x"],
        backlogMaximum: 8, lag: 1, worstRecentLag: 2)
    ring.activityAge = 0
    var bot = BotSnapshot(
        name: name, isUp: true, labels: [], rings: [ring], metrics: metrics,
        windows: [WindowCompleteness(window: .standard[0], lost: 1, isComplete: false)])
    bot.refusedSeries = ["x": 1]
    var process = BotProcessSnapshot()
    (process.processes, process.residentBytes, process.threads, process.obstacles) = (1, 5, 2, [.gone: 1])
    process.totals = BotProcessSnapshot.Totals()
    bot.process = process
    return bot
}

private func gauge(_ name: String, _ value: Double) -> MetricSnapshot {
    MetricSnapshot(
        name: name, help: "", unit: .none, labels: [],
        reading: .gauge(GaugeSnapshot(lane: "", value: .real(value), highest: .real(value), windows: [])))
}

@Suite struct RuleEvaluatorTests {
    @Test("a rule on an unknown metric waits: it is shown, logged once, and waits no more when a bot has the metric")
    func waiting() throws {
        let scene = try Scene(
            """
            { standard_alerts: false, standard_objectives: false,
              alerts: [{ name: "deep", severity: "P1", instrument: "queue_backlog_deptj", threshold: 1 },
                       { name: "known", severity: "P1", instrument: "queue_backlog_depth", threshold: 1 },
                       { name: "mine", severity: "P1", bot: "b*", instrument: "my_gauge", threshold: 1 }],
              objectives: [{ name: "o", instrument: "my_gaugee", threshold: 1, target: 0.9 }] }
            """)
        scene.registry.bots = [bot("alpha", [gauge("my_gauge", 5)])]
        #expect(scene.pass(9).isEmpty && scene.logged().isEmpty)
        #expect(
            Set(scene.latest.waiting) == [
                WaitingRule(kind: .alert, name: "deep", metric: "queue_backlog_deptj", nearest: "queue_backlog_depth"),
                WaitingRule(
                    kind: .alert, name: "mine", metric: "my_gauge",
                    reason: WaitingRule.Reason(.bot, "no bot is named b*")),
                WaitingRule(kind: .objective, name: "o", metric: "my_gaugee"),
            ])
        _ = scene.pass(60)
        let lines = scene.logged()
        #expect(lines.count == 3)
        // The nearest name may also be that of a registered metric.
        #expect(lines.contains { $0.contains("objective=o metric=my_gaugee nearest=my_gauge") }, "\(lines)")
        #expect(
            lines.contains {
                $0.contains("msg=\"alert has nothing to judge\" alert=deep")
                    && $0.contains("metric=queue_backlog_deptj nearest=queue_backlog_depth")
                    && $0.contains("reason=\"no bot has registered it\"")
            }, "\(lines)")
        scene.registry.bots.append(bot("beta", [gauge("my_gauge", 5)]))
        #expect(scene.pass(1) == ["mine beta firing"])
        #expect(scene.latest.waiting.map(\.name) == ["o", "deep"])
        scene.registry.bots.removeLast()
        _ = scene.pass(60)
        #expect(scene.latest.waiting.map(\.name) == ["o", "deep"])
        #expect(!scene.logged().contains { $0.contains("nothing to judge") })
    }

    @Test(
        "an alert can read what /metrics shows of a bot, of every metric of it, and of the collector",
        arguments: [
            ("ringside_up", "alpha"), ("ringside_emit_overhead_records_ratio", "alpha"),
            ("ringside_emit_overhead_counters_ratio", "alpha"),
            ("ringside_window_incomplete", "alpha"),
            ("ringside_backlog_records", "alpha"), ("ringside_records_total", "alpha"), ("ringside_lane_up", "alpha"),
            ("ringside_refused_series_total", "alpha"), ("ringside_bot_threads", "alpha"),
            ("ringside_bot_unreadable_processes", "alpha"), ("ringside_left_out_series", "alpha"),
            ("ringside_alert_active", "alpha"), ("ringside_build_info", ""), ("process_resident_memory_bytes", ""),
        ])
    func shown(name: String, owner: String) throws {
        let scene = try Scene(
            """
            { standard_alerts: false, alerts: [
                { name: "a", severity: "P1", instrument: "\(name)", compare: ">", threshold: 0 },
                { name: "b", severity: "P1", instrument: "depth", threshold: 0 }] }
            """)
        // The second of equal series is left out of /metrics.
        scene.registry.bots = [bot("alpha", [gauge("depth", 1), gauge("depth", 1)])]
        #expect(scene.pass(3).filter { $0.hasPrefix("a ") } == ["a \(owner) firing"])
    }

    @Test("an alert can look at a usual level by its metric, its statistic and the metric's labels")
    func unusualLevel() throws {
        let scene = try Scene(
            """
            { standard_alerts: false, unusual_level_alerts: true, alerts: [
                { name: "a", severity: "P1", instrument: "ringside_unusual_level", compare: "<", threshold: 0,
                  labels: { metric: "x_total", statistic: "rate", label_k: "v" } }] }
            """)
        func level(_ metric: String, _ labels: [Label], _ state: LevelSnapshot.State) -> LevelSnapshot {
            LevelSnapshot(
                metric: metric, labels: labels, unit: .none, statistic: .rate, state: state, sinceUnixSeconds: 0,
                value: 1, usual: nil, readings: 60, neededReadings: 30)
        }
        var alpha = bot("alpha")
        alpha.levels = [level("x_total", [Label("k", "v")], .usual), level("x_total", [Label("k", "w")], .learning)]
        scene.registry.bots = [alpha]
        #expect(scene.pass(5).isEmpty)
        scene.registry.bots[0].levels[1] = level("x_total", [Label("k", "w")], .low)
        #expect(scene.pass(5) == ["level_unusually_low alpha firing"])
        scene.registry.bots[0].levels[0] = level("x_total", [Label("k", "v")], .low)
        #expect(scene.pass(5) == ["a alpha firing"])
        scene.registry.bots[0].levels = [
            level("x_total", [Label("k", "v")], .usual), level("x_total", [Label("k", "w")], .high),
        ]
        let changes = scene.pass(60)
        #expect(
            Set(changes) == [
                "a alpha inactive", "level_unusually_low alpha inactive", "level_unusually_high alpha firing",
            ], "\(changes)")
    }

    @Test(
        "an objective's violation is told after its wait, stands over a restart before its bot is seen, and ends after its calm"
    )
    func objectives() throws {
        let text = """
            { standard_alerts: false, standard_objectives: false,
              objectives: [{ name: "up", availability: true, target: 0.9, windows: ["20s"], minimum_events: 5, for: "5s",
                             resolve_after: "10s" }] }
            """
        let scene = try Scene(text)
        let series = BotSeries(name: "alpha", options: SeriesOptions(), now: scene.now)
        scene.registry = MadeUpBots(bots: [], botSeries: [series])
        #expect(scene.passObjectives(30).changes == [.state(.met)])
        scene.registry.isDead = true
        #expect(scene.passObjectives(6).changes.isEmpty)
        let violated = scene.passObjectives(10)
        #expect(violated.changes.contains(.state(.violated)) && violated.firing == 1)
        let next = try Scene(text, after: scene)
        let early = next.passObjectives(5)
        #expect(early.changes.isEmpty && early.firing == 1, "nobody has looked at the bot")
        next.registry.botSeries = [series]
        let late = next.passObjectives(18)
        #expect(late.changes.isEmpty && late.firing == 1)
        let after = next.passObjectives(30)
        #expect(after.changes == [.state(.met)] && after.firing == 0)
    }

    @Test("a series of the collector itself that does not move is stale, as a bot's is")
    func staleCollector() throws {
        let scene = try Scene(
            """
            { standard_alerts: false, alerts: [
                { name: "still", severity: "P1", instrument: "ringside_drain_cycle_seconds_count", stale_for: "5s" }] }
            """)
        #expect(scene.pass(4).isEmpty)
        #expect(scene.pass(4) == ["still  firing"])
    }

    /// Returns the names that the page lists, in its order.
    private func listed() throws -> [String] {
        let root = "\(#filePath)".split(separator: "/").dropLast(3).joined(separator: "/")
        let page = try Data(contentsOf: URL(filePath: "/\(root)/Sources/Collector/Collector.docc/OwnSeries.md"))
        return String(decoding: page, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("| `") }.map(
            String.init)
    }

    @Test("the page of the collector's own series agrees with what --check-config knows of them")
    func page() throws {
        func row(_ name: String, _ isCounter: Bool, _ range: ClosedRange<Double>, _ help: String) -> String {
            func text(_ bound: Double) -> String { bound.isFinite ? "\(Int(bound))" : bound > 0 ? "∞" : "-∞" }
            let values = isCounter ? "0 … ∞" : "\(text(range.lowerBound)) … \(text(range.upperBound))"
            return "| `\(name)` | \(isCounter ? "counter" : "gauge") | \(values) | \(help) |"
        }
        let shown = CollectorMetric.all.map { row($0.name, $0.isCounter, $0.range, $0.help) }
        let accounts = BotAccountSeries.all.map {
            row($0.name, $0.facts.kind == .counter, $0.facts.range, $0.help)
        }
        let expected = accounts + shown
        let found = try listed()
        #expect(found == expected, "the table should be\n\(expected.joined(separator: "\n"))")
    }
}
