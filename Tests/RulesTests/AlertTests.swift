import Rules
import Series
import Sketch
import Testing

@Suite struct AlertTests {
    /// Returns a harness whose collector was restarted: it has the same definitions and the stored state, and nothing
    /// else.
    private func restarted(_ harness: AlertHarness, _ definitions: [AlertDefinition], after seconds: Int64 = 3)
        -> AlertHarness
    {
        var next = AlertHarness(definitions)
        next.now = harness.now + seconds
        next.evaluator.restore(harness.evaluator.states, nowNanoseconds: next.now * 1_000_000_000)
        return next
    }

    @Test("a wait goes on over a restart, and an alert that fires goes on firing since when it did")
    func restart() throws {
        let definitions = [try standard("market_data_disconnected")]
        var harness = AlertHarness(definitions)
        harness.set(gauge("market_data_connected", 0))
        harness.pass(3)
        #expect(harness.states == [.pending])
        var second = restarted(harness, definitions, after: 1)
        second.set(gauge("market_data_connected", 0))
        #expect(second.pass(1).isEmpty && second.pass(1).map(\.state) == [.firing])
        let since = second.evaluator.snapshots[0].sinceUnixNanoseconds
        var third = restarted(second, definitions)
        // The bot's ring is not read yet.
        #expect(third.pass(5).isEmpty && third.states == [.firing])
        third.set(gauge("market_data_connected", 0))
        #expect(third.pass(20).isEmpty && third.evaluator.snapshots[0].sinceUnixNanoseconds == since)
        third.set(gauge("market_data_connected", 1))
        #expect(third.pass(1).map(\.state) == [.inactive] && third.evaluator.states.isEmpty)
        var fourth = restarted(second, definitions)
        // A bot that does not come back does not count as healthy.
        #expect(fourth.pass(40).isEmpty && fourth.states == [.firing])
        #expect(fourth.evaluator.snapshots[0].unknownSinceUnixNanoseconds != nil)
    }

    @Test(
        "after a restart a quantile's alert ends when its window is whole again and an increase goes on from its looks")
    func restartedWindows() throws {
        let slow = AlertDefinition(
            name: "slow", severity: "P1", instrument: "x_seconds", statistic: .quantile(0.99), threshold: 0.005,
            coverage: 0)
        let many = AlertDefinition(
            name: "many", severity: "P1", instrument: "x_total", statistic: .increase, comparison: .atLeast,
            threshold: 5)
        var harness = AlertHarness([slow, many])
        harness.set(histogram("x_seconds", p99: 0.01), counter("x_total", 100, watched: 0))
        harness.pass(2)
        harness.set(histogram("x_seconds", p99: 0.01), counter("x_total", 105))
        #expect(harness.pass(1).count == 1 && harness.states == [.firing, .firing])
        var next = restarted(harness, [slow, many])
        next.set(histogram("x_seconds", p99: 0.001), counter("x_total", 105))
        #expect(next.pass(50).isEmpty && next.states == [.firing, .firing])
        #expect(Set(next.pass(15).map(\.alert)) == ["slow", "many"])
        var changed = slow
        changed.threshold = 1
        #expect(restarted(harness, [changed]).states.isEmpty)
    }

    @Test("new texts of an alert leave its state as it is")
    func annotated() throws {
        var definition = AlertDefinition(name: "deep", severity: "P2", instrument: "depth", threshold: 1)
        var harness = AlertHarness([definition])
        harness.set(gauge("depth", 2))
        #expect(harness.pass().count == 1)
        definition.annotations.summary = "the queue is deep"
        harness.evaluator.use([definition])
        #expect(harness.pass().isEmpty && harness.states == [.firing])
    }

    @Test(
        "an alert's value has the unit of what it compares, and keeps it over a restart",
        arguments: [
            ("lag_seconds", .value, .seconds), ("lag_seconds", .age, .seconds), ("depth", .value, .none),
            ("exposure_usd", .growth, .none), ("fees_usd_total", .increase, .usd), ("fees_usd_total", .rate, .none),
        ] as [(String, AlertDefinition.Statistic, MetricUnit)])
    func unit(name: String, statistic: AlertDefinition.Statistic, unit: MetricUnit) {
        let definition = AlertDefinition(
            name: "a", severity: "P1", instrument: name, statistic: statistic, threshold: -1, resolveSeconds: 60)
        var harness = AlertHarness([definition])
        harness.set(name.hasSuffix("_total") ? counter(name, 5) : gauge(name, 5))
        harness.pass(90)
        #expect(harness.evaluator.snapshots.map(\.unit) == [unit])
        var states = harness.evaluator.states
        for index in states.indices { states[index].snapshot.unit = .none }
        var next = AlertHarness([definition])
        next.evaluator.restore(states, nowNanoseconds: harness.now * 1_000_000_000)
        #expect(next.evaluator.snapshots.map(\.unit) == states.map { _ in unit })
    }

    @Test("an alert waits for its time, fires once, and ends when its condition does")
    func waiting() throws {
        var harness = AlertHarness([try standard("market_data_disconnected")])
        #expect(harness.pass().isEmpty && harness.states.isEmpty)
        harness.set(gauge("market_data_connected", 1))
        #expect(harness.pass().isEmpty && harness.states == [.inactive])
        harness.set(gauge("market_data_connected", 0))
        #expect(harness.pass(5).isEmpty && harness.states == [.pending])
        let fired = harness.pass()
        #expect(fired.map(\.state) == [.firing] && fired.map(\.value) == [0] && fired[0].severity == "P0")
        #expect(fired[0].sinceUnixNanoseconds == harness.now * 1_000_000_000)
        #expect(harness.pass(100).isEmpty && harness.states == [.firing])
        harness.set(gauge("market_data_connected", 1))
        #expect(harness.pass().map(\.state) == [.inactive])
    }

    @Test("a condition that fails once begins its time anew")
    func broken() throws {
        var harness = AlertHarness([try standard("market_data_disconnected")])
        for _ in 0..<20 {
            harness.set(gauge("market_data_connected", 0))
            #expect(harness.pass(4).isEmpty)
            harness.set(gauge("market_data_connected", 1))
            #expect(harness.pass(1).isEmpty)
        }
        harness.set(gauge("market_data_connected", 0))
        #expect(harness.pass(6).count == 1)
    }

    @Test("of several series the one furthest beyond the threshold is shown, with its labels")
    func worst() throws {
        var harness = AlertHarness([try standard("queue_backlog_deep")])
        harness.set(
            gauge("queue_backlog_depth", 20_000, labels: [Label("queue", "a")]),
            gauge("queue_backlog_depth", 30_000, labels: [Label("queue", "b")]),
            gauge("queue_backlog_depth", 5, labels: [Label("queue", "c")]))
        let fired = harness.pass(301)
        #expect(fired.map(\.labels) == [[Label("queue", "b")]] && fired.map(\.value) == [30_000])
    }

    @Test("a gauge is divided by that of the same labels, and never by an absent one or zero")
    func quotient() throws {
        var harness = AlertHarness([try standard("daily_loss_above_limit")])
        let (a, b) = ([Label("strategy", "a")], [Label("strategy", "b")])
        harness.set(
            gauge("strategy_daily_loss_usd", 900, labels: a), gauge("strategy_daily_loss_limit_usd", 1000, labels: a),
            gauge("strategy_daily_loss_usd", 600, labels: b))
        #expect(harness.pass().isEmpty)
        harness.metrics.append(gauge("strategy_daily_loss_limit_usd", 0, labels: b))
        #expect(harness.pass().isEmpty)
        harness.metrics[3] = gauge("strategy_daily_loss_limit_usd", 500, labels: b)
        #expect(harness.pass().map(\.value) == [1.2])
    }

    @Test("a quantile is that of its window, and too few records are no data")
    func quantile() throws {
        var definition = try standard("submit_to_ack_slow")
        definition.minimum = 50
        var harness = AlertHarness([definition])
        harness.set(histogram("orders_submit_to_ack_latency_seconds", p99: 0.006, count: 49))
        #expect(harness.pass(100).isEmpty)
        harness.set(histogram("orders_submit_to_ack_latency_seconds", p99: 0.005))
        #expect(harness.pass(100).isEmpty)
        harness.set(histogram("orders_submit_to_ack_latency_seconds", p99: 0.006))
        #expect(harness.pass(60).isEmpty && harness.pass().map(\.value) == [0.006])
    }

    @Test(
        "an increase counts what came in the window, from a new bot's first event on, and not what an old bot had before"
    )
    func increase() throws {
        var harness = AlertHarness([try standard("rate_limit_hit")])
        harness.set(counter("execution_rate_limit_hits_total", 2))
        #expect(harness.pass().isEmpty)
        harness.set(counter("execution_rate_limit_hits_total", 3))
        #expect(harness.pass().map(\.value) == [3])
        #expect(harness.pass(298).isEmpty && harness.states == [.firing])
        #expect(harness.pass(12).map(\.state) == [.inactive])
        var old = AlertHarness([try standard("rate_limit_hit")])
        old.set(counter("execution_rate_limit_hits_total", 500, watched: 0))
        #expect(old.pass(20).isEmpty && old.states == [.inactive])
    }

    @Test("a rate takes a window that was not watched whole as quiet before the watch")
    func rate() throws {
        var harness = AlertHarness([try standard("risk_checks_failing")])
        harness.set(counter("risk_check_failures_total", 30))
        #expect(harness.pass(30).isEmpty)
        for second in 1...120 {
            harness.set(counter("risk_check_failures_total", 30 + UInt64(second) * 3))
            harness.pass()
        }
        #expect(harness.states == [.firing])
        #expect(abs((harness.evaluator.snapshots[0].value ?? 0) - 3) < 0.2)
    }

    @Test("a ratio has no data until enough was submitted")
    func ratio() throws {
        var definition = try standard("fill_rate_low")
        definition.coverage = 0
        var harness = AlertHarness([definition])
        func set(_ filled: UInt64, _ submitted: UInt64) {
            harness.set(counter("orders_filled_total", filled), counter("orders_submitted_total", submitted))
        }
        set(0, 0)
        harness.pass(10)
        set(0, 49)
        #expect(harness.pass(10).isEmpty)
        set(9, 50)
        #expect(harness.pass().map(\.value) == [0.18])
        set(11, 50)
        #expect(harness.pass().map(\.state) == [.inactive])
    }

    @Test(
        "lost records alert, those overwritten before the collector came do not, and a silent bot alerts while it lives"
    )
    func own() throws {
        var harness = AlertHarness([try standard("records_lost"), try standard("bot_silent")])
        harness.rings = [ring(lost: [.beforeAttach: 7], age: 1)]
        #expect(harness.pass(5).isEmpty)
        harness.rings = [ring(lost: [.beforeAttach: 9, .lapped: 1], age: 31), ring(lost: [:], age: 2)]
        #expect(harness.pass().map(\.alert) == ["records_lost"])
        // A pause meter writes even if the bot does nothing.
        harness.rings[1] = ring("pause", age: 0)
        #expect(harness.pass().map(\.alert) == ["bot_silent"])
        harness.rings[0].silence = 1
        #expect(harness.pass().map(\.alert) == ["bot_silent"])
    }

    @Test(
        "memory that grows by more than a fifth in half an hour alerts, once half an hour was watched, and a restart begins anew"
    )
    func memory() throws {
        var harness = AlertHarness([try standard("memory_rising")])
        func set(_ bytes: UInt64) {
            harness.process = BotProcessSnapshot()
            harness.process?.processes = 1
            harness.process?.residentBytes = bytes
        }
        set(50)
        harness.pass(60)
        set(100)
        #expect(harness.pass(1740).isEmpty && harness.pass().map(\.value) == [1])
        #expect(harness.pass(120).map(\.state) == [.inactive])
        set(120)
        #expect(harness.pass(1900).isEmpty)
        set(145)
        #expect(harness.pass().map(\.state) == [.firing])
        // A bot that cannot be read has fixed nothing. When it comes back, its half hour begins anew.
        harness.process = nil
        #expect(harness.pass().isEmpty && harness.states == [.firing])
        set(500)
        #expect(harness.pass(1800).isEmpty)
        #expect(harness.pass(2).map(\.state) == [.inactive])
    }

    @Test("a processor busy for a quarter of an hour alerts")
    func processor() throws {
        var harness = AlertHarness([try standard("cpu_high")])
        harness.process = BotProcessSnapshot()
        harness.process?.totals = BotProcessSnapshot.Totals()
        var fired: [AlertSnapshot] = []
        for _ in 0..<1_000 {
            harness.process?.totals?.cpuSeconds += 0.95
            fired += harness.pass()
        }
        #expect(fired.map(\.alert) == ["cpu_high"] && abs((fired[0].value ?? 0) - 0.95) < 0.02)
    }

    @Test("a rate far below the trailing hour's median alerts, and one that was always low does not")
    func median() throws {
        var harness = AlertHarness([try standard("market_data_rate_low")])
        var total: UInt64 = 0
        func run(seconds: Int, _ perSecond: UInt64) -> [AlertSnapshot] {
            var changes: [AlertSnapshot] = []
            for _ in 0..<seconds {
                total += perSecond
                harness.set(counter("market_data_messages_total", total))
                changes += harness.pass()
            }
            return changes
        }
        #expect(run(seconds: 1200, 0).isEmpty)
        #expect(run(seconds: 3600, 100).isEmpty)
        #expect(run(seconds: 60, 11).isEmpty)
        #expect(run(seconds: 180, 9).map(\.state) == [.firing])
        #expect(run(seconds: 120, 100).map(\.state) == [.inactive])
    }

    @Test("a definition that is unchanged keeps its state when others come and go; a changed one begins anew")
    func reloading() throws {
        let silent = try standard("kill_switch_active")
        var harness = AlertHarness([silent])
        harness.set(gauge("strategy_kill_switch_active", 1))
        harness.pass(30)
        harness.evaluator.use([silent, try standard("circuit_breaker_active")])
        #expect(harness.pass(31).map(\.alert) == ["kill_switch_active"])
        var changed = silent
        changed.forSeconds = 10
        harness.evaluator.use([changed])
        #expect(harness.states.isEmpty)
        #expect(harness.pass(11).map(\.state) == [.firing])
    }
}
