import Rules
import Series
import Sketch
import Testing

/// Bots whose series a test sets, looked at once a second.
private struct Desk {
    var evaluator = AlertEvaluator()
    var now: Int64 = 1_000
    var metrics: [MetricSnapshot] = []
    var rings: [RingSnapshot] = []
    var isUp = true
    var process: BotProcessSnapshot?

    init(_ definitions: [AlertDefinition]) { evaluator.use(definitions) }

    /// Lets so many seconds pass, and returns what changed.
    @discardableResult
    mutating func pass(_ seconds: Int64 = 1) -> [AlertSnapshot] {
        var changes: [AlertSnapshot] = []
        for _ in 0..<seconds {
            now += 1
            let bot = BotSnapshot(
                name: "alpha", isUp: isUp, labels: [], rings: rings, metrics: metrics, windows: [], process: process)
            changes += evaluator.evaluate(
                [bot], nowNanoseconds: now * 1_000_000_000, unixNanoseconds: now * 1_000_000_000)
        }
        return changes
    }

    var states: [AlertSnapshot.State] { evaluator.snapshots.map(\.state) }

    mutating func set(_ metrics: MetricSnapshot...) { self.metrics = metrics }
}

private func gauge(_ name: String, _ value: Double, labels: [Label] = [], lane: String = "") -> MetricSnapshot {
    MetricSnapshot(
        name: name, help: "", unit: .none, labels: labels,
        reading: .gauge(GaugeSnapshot(lane: lane, value: .real(value), highest: .real(value), windows: [])))
}

private func counter(_ name: String, _ value: UInt64, watched: Double? = nil, labels: [Label] = []) -> MetricSnapshot {
    let counter = CounterSnapshot(
        value: .unsigned(value), rate: nil, windows: [], watchedIncrease: watched ?? Double(value))
    return MetricSnapshot(name: name, help: "", unit: .none, labels: labels, reading: .counter(counter))
}

private func histogram(_ name: String, p99: Double, count: UInt64 = 100) -> MetricSnapshot {
    let summary = HistogramSummary(
        count: count, sum: 1, extremes: nil, quantiles: [QuantileValue(quantile: 0.99, value: p99)])
    let histogram = HistogramSnapshot(
        calls: count, abandoned: 0, failed: 0, total: summary,
        sketch: SketchSnapshot(scale: 7, positive: [], negative: [], zeroCount: 0), classicBuckets: [],
        windows: [HistogramWindow(window: WindowSpan.standard[2], summary: summary, rate: 1, lost: 0, isComplete: true)]
    )
    return MetricSnapshot(name: name, help: "", unit: .seconds, labels: [], reading: .histogram(histogram))
}

private func standard(_ name: String) throws -> AlertDefinition {
    try #require(AlertDefinition.standard.first { $0.name == name })
}

@Suite struct AlertTests {
    /// A desk whose collector was restarted: the same definitions, what was kept, and nothing else.
    private func restarted(_ desk: Desk, _ definitions: [AlertDefinition], after seconds: Int64 = 3) -> Desk {
        var next = Desk(definitions)
        next.now = desk.now + seconds
        next.evaluator.restore(desk.evaluator.states, nowNanoseconds: next.now * 1_000_000_000)
        return next
    }

    @Test("a wait goes on over a restart, and an alert that fires goes on firing since when it did")
    func restart() throws {
        let definitions = [try standard("market_data_disconnected")]
        var desk = Desk(definitions)
        desk.set(gauge("market_data_connected", 0))
        desk.pass(3)
        #expect(desk.states == [.pending])
        var second = restarted(desk, definitions, after: 1)
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
        #expect(fourth.pass(9).isEmpty && fourth.pass(1).map(\.state) == [.inactive])
    }

    @Test(
        "after a restart a quantile's alert ends when its window is whole again and an increase goes on from its looks")
    func restartedWindows() throws {
        let slow = AlertDefinition(
            name: "slow", severity: "P1", instrument: "x_seconds", statistic: .quantile(0.99), threshold: 0.005)
        let many = AlertDefinition(
            name: "many", severity: "P1", instrument: "x_total", statistic: .increase, comparison: .atLeast,
            threshold: 5)
        var desk = Desk([slow, many])
        desk.set(histogram("x_seconds", p99: 0.01), counter("x_total", 100, watched: 0))
        desk.pass(2)
        desk.set(histogram("x_seconds", p99: 0.01), counter("x_total", 105))
        #expect(desk.pass(1).count == 1 && desk.states == [.firing, .firing])
        var next = restarted(desk, [slow, many])
        next.set(histogram("x_seconds", p99: 0.001), counter("x_total", 105))
        #expect(next.pass(50).isEmpty && next.states == [.firing, .firing])
        #expect(Set(next.pass(15).map(\.alert)) == ["slow", "many"])
        var changed = slow
        changed.threshold = 1
        #expect(restarted(desk, [changed]).states.isEmpty)
    }

    @Test("other words for an alert leave it as it stands")
    func annotated() throws {
        var definition = AlertDefinition(name: "deep", severity: "P2", instrument: "depth", threshold: 1)
        var desk = Desk([definition])
        desk.set(gauge("depth", 2))
        #expect(desk.pass().count == 1)
        definition.annotations.summary = "the queue is deep"
        desk.evaluator.use([definition])
        #expect(desk.pass().isEmpty && desk.states == [.firing])
    }

    @Test("the alerts of a bot that is gone end")
    func goneBot() throws {
        var desk = Desk([AlertDefinition(name: "deep", severity: "P2", instrument: "depth", threshold: 1)])
        desk.set(gauge("depth", 2))
        desk.pass()
        let changes = desk.evaluator.evaluate([], nowNanoseconds: (desk.now + 1) * 1_000_000_000, unixNanoseconds: 0)
        #expect(changes.map(\.state) == [.inactive])
    }

    @Test("an alert waits for its time, fires once, and ends when its condition does")
    func waiting() throws {
        var desk = Desk([try standard("market_data_disconnected")])
        #expect(desk.pass().isEmpty && desk.states.isEmpty)
        desk.set(gauge("market_data_connected", 1))
        #expect(desk.pass().isEmpty && desk.states == [.inactive])
        desk.set(gauge("market_data_connected", 0))
        #expect(desk.pass(5).isEmpty && desk.states == [.pending])
        let fired = desk.pass()
        #expect(fired.map(\.state) == [.firing] && fired.map(\.value) == [0] && fired[0].severity == "P0")
        #expect(fired[0].sinceUnixNanoseconds == desk.now * 1_000_000_000)
        #expect(desk.pass(100).isEmpty && desk.states == [.firing])
        desk.set(gauge("market_data_connected", 1))
        #expect(desk.pass().map(\.state) == [.inactive])
    }

    @Test("a condition that does not hold for one look begins its time anew, and no data ends it")
    func broken() throws {
        var desk = Desk([try standard("market_data_disconnected")])
        for _ in 0..<20 {
            desk.set(gauge("market_data_connected", 0))
            #expect(desk.pass(4).isEmpty)
            desk.set(gauge("market_data_connected", 1))
            #expect(desk.pass(1).isEmpty)
        }
        desk.set(gauge("market_data_connected", 0))
        #expect(desk.pass(6).count == 1)
        desk.set()
        #expect(desk.pass().map(\.state) == [.inactive])
    }

    @Test("of several series the one furthest beyond the threshold is shown, with its labels")
    func worst() throws {
        var desk = Desk([try standard("queue_backlog_deep")])
        desk.set(
            gauge("queue_backlog_depth", 20_000, labels: [Label("queue", "a")]),
            gauge("queue_backlog_depth", 30_000, labels: [Label("queue", "b")]),
            gauge("queue_backlog_depth", 5, labels: [Label("queue", "c")]))
        let fired = desk.pass(301)
        #expect(fired.map(\.labels) == [[Label("queue", "b")]] && fired.map(\.value) == [30_000])
    }

    @Test("a gauge is divided by that of the same labels, and by nothing that is absent or zero")
    func quotient() throws {
        var desk = Desk([try standard("daily_loss_above_limit")])
        let (a, b) = ([Label("strategy", "a")], [Label("strategy", "b")])
        desk.set(
            gauge("strategy_daily_loss_usd", 900, labels: a), gauge("strategy_daily_loss_limit_usd", 1000, labels: a),
            gauge("strategy_daily_loss_usd", 600, labels: b))
        #expect(desk.pass().isEmpty)
        desk.metrics.append(gauge("strategy_daily_loss_limit_usd", 0, labels: b))
        #expect(desk.pass().isEmpty)
        desk.metrics[3] = gauge("strategy_daily_loss_limit_usd", 500, labels: b)
        #expect(desk.pass().map(\.value) == [1.2])
    }

    @Test("a quantile is that of its window, and too few records are no data")
    func quantile() throws {
        var definition = try standard("submit_to_ack_slow")
        definition.minimum = 50
        var desk = Desk([definition])
        desk.set(histogram("orders_submit_to_ack_latency_seconds", p99: 0.006, count: 49))
        #expect(desk.pass(100).isEmpty)
        desk.set(histogram("orders_submit_to_ack_latency_seconds", p99: 0.005))
        #expect(desk.pass(100).isEmpty)
        desk.set(histogram("orders_submit_to_ack_latency_seconds", p99: 0.006))
        #expect(desk.pass(60).isEmpty && desk.pass().map(\.value) == [0.006])
    }

    @Test(
        "an increase counts what came in the window, from a new bot's first event on, and not what an old bot had before"
    )
    func increase() throws {
        var desk = Desk([try standard("rate_limit_hit")])
        desk.set(counter("execution_rate_limit_hits_total", 2))
        #expect(desk.pass().isEmpty)
        desk.set(counter("execution_rate_limit_hits_total", 3))
        #expect(desk.pass().map(\.value) == [3])
        #expect(desk.pass(298).isEmpty && desk.states == [.firing])
        #expect(desk.pass(12).map(\.state) == [.inactive])
        var old = Desk([try standard("rate_limit_hit")])
        old.set(counter("execution_rate_limit_hits_total", 500, watched: 0))
        #expect(old.pass(20).isEmpty && old.states == [.inactive])
    }

    @Test("a rate takes a window that was not watched whole as quiet before")
    func rate() throws {
        var desk = Desk([try standard("risk_checks_failing")])
        desk.set(counter("risk_check_failures_total", 30))
        #expect(desk.pass(30).isEmpty)
        for second in 1...120 {
            desk.set(counter("risk_check_failures_total", 30 + UInt64(second) * 3))
            desk.pass()
        }
        #expect(desk.states == [.firing])
        #expect(abs((desk.evaluator.snapshots[0].value ?? 0) - 3) < 0.2)
    }

    @Test("a ratio has no data until enough was submitted")
    func ratio() throws {
        var desk = Desk([try standard("fill_rate_low")])
        func set(_ filled: UInt64, _ submitted: UInt64) {
            desk.set(counter("orders_filled_total", filled), counter("orders_submitted_total", submitted))
        }
        set(0, 0)
        desk.pass(10)
        set(0, 49)
        #expect(desk.pass(10).isEmpty)
        set(9, 50)
        #expect(desk.pass().map(\.value) == [0.18])
        set(11, 50)
        #expect(desk.pass().map(\.state) == [.inactive])
    }

    @Test(
        "lost records alert, those overwritten before the collector came do not, and a silent bot alerts while it lives"
    )
    func own() throws {
        var desk = Desk([try standard("records_lost"), try standard("bot_silent")])
        func ring(lost: [LossReason: UInt64], age: Double, lane: String = "", isUp: Bool = true) -> RingSnapshot {
            RingSnapshot(
                lane: lane, isUp: isUp, pid: 1, position: 9, drained: 9, backlog: 0, lost: lost, late: 0, future: 0,
                lastRecordAge: age)
        }
        desk.rings = [ring(lost: [.beforeAttach: 7], age: 1)]
        #expect(desk.pass(5).isEmpty)
        desk.rings = [ring(lost: [.beforeAttach: 9, .lapped: 1], age: 31), ring(lost: [:], age: 2)]
        #expect(desk.pass().map(\.alert) == ["records_lost"])
        // A pause meter writes though the bot does nothing.
        desk.rings[1] = ring(lost: [:], age: 0, lane: "pause")
        #expect(desk.pass().map(\.alert) == ["bot_silent"])
        desk.isUp = false
        #expect(desk.pass().map(\.state) == [.inactive])
    }

    @Test(
        "memory that grows by more than a fifth in half an hour alerts, once half an hour was watched, and a restart begins anew"
    )
    func memory() throws {
        var desk = Desk([try standard("memory_rising")])
        func set(_ bytes: UInt64) {
            desk.process = BotProcessSnapshot()
            desk.process?.processes = 1
            desk.process?.residentBytes = bytes
        }
        set(50)
        desk.pass(60)
        set(100)
        #expect(desk.pass(1740).isEmpty && desk.pass().map(\.value) == [1])
        #expect(desk.pass(120).map(\.state) == [.inactive])
        set(120)
        #expect(desk.pass(1900).isEmpty)
        set(145)
        #expect(desk.pass().map(\.state) == [.firing])
        desk.process = nil
        #expect(desk.pass().map(\.state) == [.inactive])
        set(500)
        #expect(desk.pass(3600).isEmpty)
    }

    @Test("a processor busy for a quarter of an hour alerts")
    func processor() throws {
        var desk = Desk([try standard("cpu_high")])
        desk.process = BotProcessSnapshot()
        desk.process?.totals = BotProcessSnapshot.Totals()
        var fired: [AlertSnapshot] = []
        for _ in 0..<1_000 {
            desk.process?.totals?.cpuSeconds += 0.95
            fired += desk.pass()
        }
        #expect(fired.map(\.alert) == ["cpu_high"] && abs((fired[0].value ?? 0) - 0.95) < 0.02)
    }

    @Test("a rate far below the trailing hour's median alerts, and one that was always low does not")
    func median() throws {
        var desk = Desk([try standard("market_data_rate_low")])
        var total: UInt64 = 0
        func run(seconds: Int, _ perSecond: UInt64) -> [AlertSnapshot] {
            var changes: [AlertSnapshot] = []
            for _ in 0..<seconds {
                total += perSecond
                desk.set(counter("market_data_messages_total", total))
                changes += desk.pass()
            }
            return changes
        }
        #expect(run(seconds: 1200, 0).isEmpty)
        #expect(run(seconds: 3600, 100).isEmpty)
        #expect(run(seconds: 60, 11).isEmpty)
        #expect(run(seconds: 180, 9).map(\.state) == [.firing])
        #expect(run(seconds: 120, 100).map(\.state) == [.inactive])
    }

    @Test("a definition that is unchanged goes on as it stands when others come and go; a changed one begins anew")
    func reloading() throws {
        let silent = try standard("kill_switch_active")
        var desk = Desk([silent])
        desk.set(gauge("strategy_kill_switch_active", 1))
        desk.pass(30)
        desk.evaluator.use([silent, try standard("circuit_breaker_active")])
        #expect(desk.pass(31).map(\.alert) == ["kill_switch_active"])
        var changed = silent
        changed.forSeconds = 10
        desk.evaluator.use([changed])
        #expect(desk.states.isEmpty)
        #expect(desk.pass(11).map(\.state) == [.firing])
    }
}
