import Rules
import Series
import TestSupport
import Testing

@Suite("How flapping is prevented") struct HysteresisTests {
    /// A series around an alert's threshold. For stretches of random length it is far on the one side, then on the
    /// other.
    private struct Noise {
        let definition: AlertDefinition
        private var random: SeededGenerator
        private var total: UInt64 = 0
        private var other: UInt64 = 0
        private var holds = false
        private var left = 0

        init(_ definition: AlertDefinition, seed: UInt64) {
            self.definition = definition
            random = SeededGenerator(seed: seed)
        }

        mutating func apply(to harness: inout AlertHarness) {
            if left == 0 {
                holds.toggle()
                let shortest = holds ? Int(definition.forSeconds) + 2 : 1
                left = Int.random(in: shortest...(shortest + 90), using: &random)
            }
            left -= 1
            let asksForMore = [.above, .atLeast].contains(definition.comparison)
            let isHigh = holds == asksForMore
            harness.metrics = []
            switch (definition.instrument, definition.statistic) {
            case (AlertDefinition.botDown, _): harness.rings[0].presence = holds ? .down : .up
            case (AlertDefinition.laneDown, _): harness.rings = [ring("a"), ring("b", presence: holds ? .down : .up)]
            case (AlertDefinition.botHung, _): harness.rings = [ring(activityAge: holds ? 60 : 0, usualPause: 1)]
            case (AlertDefinition.laneSilent, _):
                harness.rings = [ring("a"), ring("b", activityAge: holds ? 60 : 0, usualPause: 1)]
            case (AlertDefinition.lives, _):
                total += holds ? 1 : 0
                harness.rings[0].lifeCount = total
            case (AlertDefinition.windowIncomplete, _):
                harness.windows = WindowSpan.standard.map {
                    WindowCompleteness(window: $0, lost: 0, isComplete: !holds)
                }
            case (AlertDefinition.drainLag, _): harness.rings[0].worstRecentLag = holds ? 2 : 0
            case (AlertDefinition.lastRecordAge, _): harness.rings = [ring(age: holds ? 40 : 1)]
            case (AlertDefinition.lostRecords, _):
                total += holds && left == 0 ? 1 : 0
                harness.rings = [ring(lost: [.lapped: total])]
            case (AlertDefinition.processorTime, _):
                total += isHigh ? 1 : 0
                harness.process = BotProcessSnapshot()
                harness.process?.totals = BotProcessSnapshot.Totals()
                harness.process?.totals?.cpuSeconds = Double(total)
            case (AlertDefinition.residentMemory, _):
                harness.process = BotProcessSnapshot()
                harness.process?.processes = 1
                harness.process?.residentBytes = isHigh ? 1300 : 1000
            case (let name, .quantile(let quantile)):
                harness.set(histogram(name, quantile: quantile, p99: definition.threshold * (isHigh ? 1.01 : 0.99)))
            case (let name, .value):
                let value = definition.threshold + (isHigh ? 1 : -1)
                harness.set(gauge(name, value))
                if let divisor = definition.divisor { harness.metrics.append(gauge(divisor, 1)) }
            case (let name, _):
                total += isHigh ? UInt64(max(1, definition.threshold * 10)) : 0
                other += definition.comparison.rawValue == "<" ? 10 : isHigh ? 1 : 10
                harness.set(counter(name, total))
                if let divisor = definition.divisor { harness.metrics.append(counter(divisor, other)) }
            }
        }
    }

    private static func begins(_ definition: AlertDefinition, seconds: Int, seed: UInt64) -> [Int64] {
        var harness = AlertHarness([definition])
        var noise = Noise(definition, seed: seed)
        var times: [Int64] = []
        for _ in 0..<seconds {
            noise.apply(to: &harness)
            if harness.pass().contains(where: { $0.state == .firing }) { times.append(harness.now) }
        }
        return times
    }

    private static func flaps(_ times: [Int64]) -> Bool { zip(times, times.dropFirst(2)).contains { $1 - $0 <= 900 } }

    @Test(
        "no ready-made alert begins more than twice in a quarter of an hour", .enabled(if: !isShortRun),
        arguments: AlertDefinition.standard.map(\.name))
    func quiet(name: String) throws {
        let definition = try standard(name, resolveSeconds: AlertDefinition.standardResolveSeconds)
        #expect(try #require(AlertDefinition.standard.first { $0.name == name }).resolveSeconds == 30)
        for seed in (1...3 as ClosedRange<UInt64>).ordinarily(oneOf: 3) {
            let times = Self.begins(definition, seconds: 10_000, seed: seed)
            #expect(!Self.flaps(times), "seed \(seed): \(times)")
        }
    }

    @Test("the same series flap where an alert ends at once")
    func flapping() throws {
        // The windows or the waits of these alerts are much longer than the stretches of the series, so none flaps in
        // any case.
        let slow = [
            "memory_rising", "cpu_high", "market_data_slow", "market_data_rate_low", "slippage_high",
            "retries_frequent",
            "queue_backlog_deep", "records_lost", "data_invalid", "fill_rate_low", "rate_limit_hit",
            "inference_failing", "clock_untrusted", "export_failing", "window_incomplete", "state_not_saved",
            "collector_behind",
        ]
        for name in AlertDefinition.standard.map(\.name) where !slow.contains(name) {
            #expect(Self.flaps(Self.begins(try standard(name), seconds: 10_000, seed: 1)), "\(name)")
        }
    }

    private static let definition = AlertDefinition(
        name: "deep", severity: "P2", instrument: "depth", threshold: 1, forSeconds: 3, resolveSeconds: 10)

    /// Returns an alert that fires, with a condition that no longer holds.
    private func resolving() -> AlertHarness {
        var harness = AlertHarness([Self.definition])
        harness.set(gauge("depth", 2))
        #expect(harness.pass(4).map(\.state) == [.firing])
        harness.set(gauge("depth", 0))
        #expect(harness.pass(5).isEmpty && harness.states == [.firing])
        return harness
    }

    @Test(
        "an alert ends after its condition has not held for the whole wait, and one look at which it holds begins that anew"
    )
    func anew() {
        var harness = resolving()
        let snapshot = harness.evaluator.snapshots[0]
        #expect(snapshot.value == 0 && snapshot.resolvingSinceUnixNanoseconds == (harness.now - 4) * 1_000_000_000)
        let since = snapshot.sinceUnixNanoseconds
        harness.set(gauge("depth", 2))
        #expect(harness.pass().isEmpty && harness.evaluator.snapshots[0].resolvingSinceUnixNanoseconds == nil)
        harness.set(gauge("depth", 0))
        #expect(harness.pass(10).isEmpty && harness.evaluator.snapshots[0].sinceUnixNanoseconds == since)
        let ended = harness.pass()
        #expect(ended.map(\.state) == [.inactive] && ended[0].resolution == "the condition no longer holds")
        #expect(ended[0].resolvingSinceUnixNanoseconds == nil)
        // After this end, the next beginning waits for its time again.
        harness.set(gauge("depth", 2))
        #expect(harness.pass(3).isEmpty && harness.pass().map(\.state) == [.firing])
    }

    @Test("the wait for an end goes on over a restart of the collector")
    func restarted() {
        let harness = resolving()
        var next = AlertHarness([Self.definition])
        next.now = harness.now + 2
        next.evaluator.restore(harness.evaluator.states, nowNanoseconds: next.now * 1_000_000_000)
        next.set(gauge("depth", 0))
        #expect(next.pass(3).isEmpty && next.states == [.firing])
        #expect(next.evaluator.snapshots == harness.evaluator.snapshots)
        #expect(next.pass().map(\.state) == [.inactive])
    }

    @Test("that a condition flaps is known after a restart of the collector", arguments: [false, true])
    func flapsOverRestarts(isRestarted: Bool) {
        var harness = resolving()
        #expect(harness.pass(6).map(\.state) == [.inactive] && !harness.evaluator.states.isEmpty)
        if isRestarted {
            // The state goes through two restarts, one of them before the alert begins again.
            for _ in 0..<2 {
                var next = AlertHarness([Self.definition])
                next.now = harness.now + 2
                next.evaluator.restore(harness.evaluator.states, nowNanoseconds: next.now * 1_000_000_000)
                // A collector may end before its first look at the alerts.
                #expect(!next.evaluator.states.isEmpty)
                next.set(gauge("depth", 2))
                #expect(next.pass(4).map(\.state) == (harness.states == [.firing] ? [] : [.firing]))
                harness = next
            }
        } else {
            harness.set(gauge("depth", 2))
            #expect(harness.pass(4).map(\.state) == [.firing])
        }
        harness.set(gauge("depth", 0))
        // The second beginning lasts until a quarter of an hour after the first one is over.
        #expect(harness.pass(800).isEmpty && harness.states == [.firing])
        #expect(harness.pass(100).map(\.state) == [.inactive])
        // A quarter of an hour after the second beginning nothing of it is stored.
        _ = harness.pass(900)
        #expect(harness.evaluator.states.isEmpty)
    }

    @Test("a death begins the wait anew, since nothing is known of the time meanwhile; a closed ring ends it")
    func lost() {
        var dead = resolving()
        dead.rings[0].presence = .down
        dead.set()
        #expect(dead.pass(100).isEmpty && dead.states == [.firing])
        dead.rings[0].presence = .up
        dead.set(gauge("depth", 0))
        #expect(dead.pass(10).isEmpty && dead.pass().map(\.state) == [.inactive])
        var closed = resolving()
        closed.rings[0].presence = .closed
        closed.set()
        #expect(closed.pass().map(\.resolution) == ["the bot closed its ring"])
    }

    @Test("a firing alert takes on a changed wait for its end")
    func reloaded() {
        var harness = resolving()
        var shorter = Self.definition
        shorter.resolveSeconds = 6
        harness.evaluator.use([shorter])
        #expect(harness.pass().isEmpty && harness.pass().map(\.state) == [.inactive])
    }

    @Test("an operator ends an alert at once")
    func dismissed() {
        var harness = resolving()
        let ended = harness.evaluator.dismiss("deep", bot: "alpha", unixNanoseconds: 5)
        #expect(ended?.state == .inactive && harness.pass(20).isEmpty)
        harness.set(gauge("depth", 2))
        #expect(harness.pass(4).map(\.state) == [.firing])
    }
}
