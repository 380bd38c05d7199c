import Rules
import Series
import Testing

/// Tests the alerts of a bot that falls silent. A death resolves nothing.
@Suite struct AlertLivenessTests {
    private static let breaker = AlertDefinition(name: "breaker", severity: "P0", instrument: "breaker", threshold: 0)
    private static let slow = AlertDefinition(
        name: "slow", severity: "P1", instrument: "x_seconds", statistic: .quantile(0.99), threshold: 0.005,
        coverage: 0)
    private static let many = AlertDefinition(
        name: "many", severity: "P1", instrument: "x_total", statistic: .increase, comparison: .atLeast, threshold: 5)

    /// Returns three alerts that fire: of a gauge, a histogram's window and a counter's increase.
    private func firing() -> AlertHarness {
        var harness = AlertHarness([Self.breaker, Self.slow, Self.many])
        harness.set(gauge("breaker", 1), histogram("x_seconds", p99: 0.01), counter("x_total", 100, watched: 0))
        harness.pass(2)
        harness.metrics[2] = counter("x_total", 105)
        harness.pass(1)
        #expect(harness.states == [.firing, .firing, .firing])
        return harness
    }

    /// The ways in which a bot stops reporting without having fixed anything.
    enum Silence: CaseIterable {
        case died, unwatched, vanished, hung, noRings
    }

    private func silence(_ harness: inout AlertHarness, _ kind: Silence) {
        switch kind {
        case .died: harness.rings[0].presence = .down
        case .unwatched: harness.rings[0].presence = .unknown
        case .hung: harness.rings[0].activityAge = 60
        case .vanished: harness.isThere = false
        case .noRings: harness.rings = []
        }
        // These are a dead bot's series: its windows become empty, and its gauges are withdrawn.
        harness.set(histogram("x_seconds", p99: 0.0, count: 0), counter("x_total", 105))
    }

    @Test("a bot that dies, hangs or vanishes resolves nothing, until there is data again", arguments: Silence.allCases)
    func held(kind: Silence) {
        var harness = firing()
        silence(&harness, kind)
        #expect(harness.pass(3600).isEmpty, "something was resolved, or began anew")
        #expect(harness.states == [.firing, .firing, .firing])
        let unknownSince = harness.evaluator.snapshots.map(\.unknownSinceUnixNanoseconds)
        // While a window still shows records from before the silence, its alert is known to hold.
        #expect(unknownSince.allSatisfy { $0 == 1_004_000_000_000 || kind == .hung && $0 != nil }, "\(unknownSince)")
        harness.isThere = true
        harness.rings = [ring()]
        harness.set(gauge("breaker", 0), histogram("x_seconds", p99: 0.001), counter("x_total", 105))
        let ended = harness.pass(1)
        #expect(ended.map(\.state) == [.inactive, .inactive, .inactive])
        #expect(ended.allSatisfy { $0.resolution == "the condition no longer holds" })
        #expect(ended.allSatisfy { $0.unknownSinceUnixNanoseconds == nil })
    }

    @Test("a bot that goes on after it was unknown has the same alert, with one beginning", arguments: Silence.allCases)
    func resumed(kind: Silence) {
        var harness = firing()
        let since = harness.evaluator.snapshots.map(\.sinceUnixNanoseconds)
        silence(&harness, kind)
        harness.pass(10)
        harness.isThere = true
        harness.rings = [ring()]
        harness.set(gauge("breaker", 1), histogram("x_seconds", p99: 0.01), counter("x_total", 110))
        #expect(harness.pass(1).isEmpty)
        #expect(harness.evaluator.snapshots.map(\.sinceUnixNanoseconds) == since)
        #expect(harness.evaluator.snapshots.allSatisfy { $0.unknownSinceUnixNanoseconds == nil })
    }

    @Test("a bot that closes its ring resolves its alerts, with that reason")
    func closed() {
        var harness = firing()
        harness.rings[0].presence = .closed
        harness.set(histogram("x_seconds", p99: 0, count: 0), counter("x_total", 105))
        let ended = harness.pass(120)
        #expect(Set(ended.map(\.alert)) == ["breaker", "slow", "many"] && ended.count == 3)
        #expect(ended.allSatisfy { $0.resolution == "the bot closed its ring" })
    }

    @Test("a gauge of a lane that died is unknown though the bot's other lanes move")
    func deadLane() {
        var harness = AlertHarness([Self.breaker])
        harness.rings = [ring("main"), ring("risk")]
        harness.set(gauge("breaker", 1, lane: "risk"))
        #expect(harness.pass().count == 1)
        harness.rings[1].presence = .down
        harness.set()
        #expect(harness.pass(100).isEmpty && harness.states == [.firing])
        harness.rings[1].presence = .up
        harness.set(gauge("breaker", 0, lane: "risk"))
        #expect(harness.pass().map(\.state) == [.inactive])
    }

    @Test("an operator ends one alert, and it begins again only after its condition has ceased to hold")
    func dismissed() throws {
        var harness = firing()
        let dismissed = harness.evaluator.dismiss("breaker", bot: "alpha", unixNanoseconds: 5)
        let ended = try #require(dismissed)
        harness.metrics[2] = counter("x_total", 110)
        #expect(ended.state == .inactive && ended.resolution == "an operator resolved it")
        #expect(harness.pass(50).isEmpty)
        harness.metrics[0] = gauge("breaker", 0)
        #expect(harness.pass().isEmpty)
        harness.metrics[0] = gauge("breaker", 1)
        #expect(harness.pass().map(\.alert) == ["breaker"])
        #expect(harness.evaluator.dismiss("none", bot: "alpha", unixNanoseconds: 5) == nil)
        #expect(harness.evaluator.dismiss("breaker", bot: "none", unixNanoseconds: 5) == nil)
    }

    // MARK: - Bots that cannot report their own state

    private func liveness() throws -> AlertHarness {
        AlertHarness(
            try ["bot_down", "lane_down", "bot_hung", "lane_silent", "bot_restarting"].map { try standard($0) })
    }

    @Test("a bot whose owner is gone is down, once, until it is up again or has closed its ring")
    func down() throws {
        var harness = try liveness()
        #expect(harness.pass(20).isEmpty)
        harness.rings[0].presence = .down
        let fired = harness.pass(100)
        #expect(fired.map(\.alert) == ["bot_down"] && fired[0].severity == "P0")
        harness.rings[0].presence = .up
        #expect(harness.pass().map(\.state) == [.inactive])
        harness.rings[0].presence = .down
        #expect(harness.pass().map(\.alert) == ["bot_down"])
        harness.rings[0].presence = .closed
        #expect(harness.pass().map(\.state) == [.inactive])
    }

    @Test("a lane that died beside others that are up is a lane's alert, which names it")
    func laneDown() throws {
        var harness = try liveness()
        harness.rings = [ring("a"), ring("b"), ring("pause")]
        harness.pass(5)
        harness.rings[1].presence = .down
        let fired = harness.pass(100)
        #expect(fired.map(\.alert) == ["lane_down"] && fired[0].labels == [Label("lane", "b")])
        harness.rings[0].presence = .down
        harness.rings[2].presence = .down
        #expect(Set(harness.pass(100).map(\.alert)) == ["bot_down"], "the whole bot's death is told once")
    }

    @Test("a bot hangs where no lane moves for three times its longest pause, and not where it always paused so")
    func hung() throws {
        var harness = try liveness()
        harness.rings = [ring("a", activityAge: 0, usualPause: 0.1), ring("b", activityAge: 0, usualPause: 20)]
        harness.pass(5)
        (harness.rings[0].activityAge, harness.rings[1].activityAge) = (30, 30)
        #expect(harness.pass(10).map(\.alert) == ["lane_silent"], "the other lane may pause for so long")
        (harness.rings[0].activityAge, harness.rings[1].activityAge) = (61, 61)
        let fired = harness.pass(10)
        #expect(fired.contains { $0.alert == "bot_hung" && $0.state == .firing })
        harness.rings[0].activityAge = 0
        #expect(harness.pass(1).contains { $0.alert == "bot_hung" && $0.state == .inactive })
    }

    @Test("a pause meter that does not beat shows that its bot hangs, within three seconds")
    func noBeat() throws {
        var harness = try liveness()
        harness.rings = [ring("", activityAge: 0), ring("pause", activityAge: 0, usualPause: 0.01)]
        #expect(harness.pass(5).isEmpty)
        harness.rings[1].activityAge = 2.6
        #expect(harness.pass(1).map(\.alert) == ["bot_hung"])
    }

    @Test("a bot that begins more than two lives in a minute restarts too often")
    func restarting() throws {
        var harness = try liveness()
        harness.rings[0].lifeCount = 7
        #expect(harness.pass(100).isEmpty, "lives before the collector came are no news")
        for life in 8...10 {
            harness.rings[0].lifeCount = UInt64(life)
            harness.pass(5)
        }
        #expect(harness.evaluator.snapshots.first { $0.alert == "bot_restarting" }?.state == .firing)
        #expect(harness.pass(90).map(\.state) == [.inactive])
    }

    // MARK: - Losses of the collector, and the collector itself

    @Test("windows that stay incomplete alert after their time")
    func losses() throws {
        var harness = AlertHarness([try standard("window_incomplete")])
        func windows(_ isComplete: Bool) -> [WindowCompleteness] {
            WindowSpan.standard.map { WindowCompleteness(window: $0, lost: 0, isComplete: isComplete) }
        }
        harness.windows = windows(true)
        #expect(harness.pass(600).isEmpty)
        harness.windows = windows(false)
        #expect(harness.pass(299).isEmpty)
        #expect(harness.pass(2).map(\.alert) == ["window_incomplete"])
        harness.windows = windows(true)
        #expect(harness.pass(200).filter { $0.state == .inactive }.count == 1)
    }

    @Test("the collector's own alerts are of no bot, and end when their condition does")
    func ownAlerts() throws {
        let own = ["state_not_saved", "export_failing", "clock_untrusted", "collector_behind"]
        var harness = AlertHarness(
            try (own + ["bot_down", "records_lost", "bot_restarting"]).map { try standard($0) })
        (harness.name, harness.rings) = ("", [])
        func set(saved: Bool, export: Bool, jumps: UInt64, wait: Double) {
            harness.set(
                gauge("ringside_state_not_saved", saved ? 0 : 1),
                gauge("ringside_export_failing", export ? 0 : 1, labels: [Label("export", "hook")]),
                counter("ringside_clock_tick_jumps_total", jumps), gauge("ringside_drain_wait_seconds", wait))
        }
        set(saved: true, export: true, jumps: 0, wait: 0.1)
        #expect(harness.pass(400).isEmpty)
        #expect(Set(harness.evaluator.snapshots.map(\.alert)) == Set(own))
        set(saved: false, export: false, jumps: 1, wait: 1.5)
        let fired = harness.pass(302)
        #expect(Set(fired.filter { $0.state == .firing }.map(\.alert)) == Set(own))
        #expect(fired.first { $0.alert == "export_failing" }?.labels == [Label("export", "hook")])
        set(saved: true, export: true, jumps: 1, wait: 0.1)
        #expect(harness.pass(600).filter { $0.state == .inactive }.count >= 2)
        #expect(harness.states.allSatisfy { $0 == .inactive })
    }
}
