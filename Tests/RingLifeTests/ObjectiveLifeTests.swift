import Platform
import Drain
import Glibc
import Ringside
import Series
import TestSupport
import Testing

/// Objectives and alerts from a bot's record to the collector's snapshot and log.
@Suite struct ObjectiveLifeTests {
    private let directory = TemporaryRingDirectory()

    private func attach() throws -> Telemetry {
        try Telemetry.attach(
            "alpha", options: AttachOptions(directory: directory.path, capacityRecords: 1024, metricCapacity: 16))
    }

    private var path: String { "\(directory.path)/configuration" }

    private func write(_ text: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Glibc.write(file, text, text.utf8.count)
        close(file)
    }

    private func configuration(_ text: String) throws -> ConfigurationFile {
        write(text)
        return try ConfigurationFile(path: path, logger: Logger(level: .error, descriptor: -1))
    }

    private func objective(_ snapshot: Snapshot, _ name: String) throws -> ObjectiveSnapshot {
        try #require(snapshot.objectives.first { $0.objective == name && $0.bot == "alpha" })
    }

    private let work = """
        { name: "work", instrument: "work_seconds", threshold: "50ms", target: 0.9, minimum_events: 10, coverage: 0 }
        """

    @Test(
        "values at the threshold are good and a nanosecond more is bad; a violation is seen and logged within a second")
    func violation() throws {
        let telemetry = try attach()
        let histogram = try telemetry.durationHistogram("work_seconds", help: "Work.")
        let collector = try CollectorHarness(
            directory, configuration: configuration("{ standard_objectives: false, objectives: [\(work)] }"))
        collector.leap()
        for _ in 0..<9 { histogram.record(nanoseconds: 50_000_000) }
        try collector.settle()
        var snapshot = try collector.look()
        #expect(try objective(snapshot, "work").state == .noData)
        #expect(try objective(snapshot, "work").counts == EventCounts(good: 9, bad: 0))
        histogram.record(nanoseconds: 50_000_001)
        collector.leap()
        snapshot = try collector.look()
        #expect(try objective(snapshot, "work").counts == EventCounts(good: 9, bad: 1))
        #expect(try objective(snapshot, "work").state == .met)
        #expect(collector.said("objective met", "objective=work", "bot=alpha"))
        #expect(!collector.said("objective violated"))
        histogram.record(nanoseconds: 60_000_000)
        // The clock is set ahead by 300 ms. The collector has no more time than that.
        collector.leap()
        #expect(collector.said("objective violated", "objective=work", "bot=alpha", "bad=2"))
        snapshot = try collector.look()
        #expect(try objective(snapshot, "work").state == .violated)
        #expect(snapshot.histogram("work_seconds")?.total.count == 11)
        for _ in 0..<210 { collector.leap() }
        #expect(collector.said("objective has no data") || collector.said("objective met"))
        telemetry.close()
    }

    @Test("what was recorded is all in the totals whichever way it took, and counting begins with the objective")
    func reloading() throws {
        let telemetry = try attach()
        let histogram = try telemetry.durationHistogram("work_seconds", help: "Work.")
        let other = try telemetry.histogram("other_bps", unit: .bps, help: "Another.")
        let file = try configuration("{ standard_objectives: false }")
        let collector = try CollectorHarness(directory, configuration: file)
        func record() throws {
            for _ in 0..<20 {
                histogram.measure {}
                other.record(-3)
            }
            try collector.settle()
        }
        try record()
        #expect(try collector.look().objectives.isEmpty)
        let bps = "{ name: 'other', instrument: 'other_bps', threshold: -3, target: 0.5 }"
        write("{ standard_objectives: false, objectives: [\(work), \(bps)] }")
        #expect(file.reload() == .applied(needingRestart: []))
        collector.leap()
        try record()
        #expect(try objective(try collector.look(), "work").counts == EventCounts(good: 20, bad: 0))
        #expect(try objective(try collector.look(), "other").counts == EventCounts(good: 20, bad: 0))
        write("{ standard_objectives: false, objectives: [\(work)] }")
        _ = file.reload()
        collector.leap()
        try record()
        let snapshot = try collector.look()
        #expect(snapshot.objectives.map(\.objective) == ["work"])
        #expect(try objective(snapshot, "work").counts == EventCounts(good: 40, bad: 0))
        for name in ["work_seconds", "other_bps"] {
            #expect(snapshot.histogram(name)?.total.count == 60 && snapshot.histogram(name)?.calls == 60)
        }
        #expect(snapshot.ring()?.drained == 120 && snapshot.ring()?.totalLost == 0)
        telemetry.close()
    }

    @Test("failed spans count by their time, and abandoned ones not at all")
    func failed() throws {
        let telemetry = try attach()
        let histogram = try telemetry.durationHistogram("work_seconds", help: "Work.")
        let collector = try CollectorHarness(
            directory, configuration: configuration("{ standard_objectives: false, objectives: [\(work)] }"))
        struct Failure: Error {}
        #expect(throws: Failure.self) { try histogram.measure { () throws in throw Failure() } }
        do { _ = histogram.start() }
        try collector.settle()
        let snapshot = try collector.look()
        #expect(snapshot.histogram("work_seconds")?.abandoned == 1 && snapshot.histogram("work_seconds")?.failed == 1)
        #expect(try objective(snapshot, "work").counts == EventCounts(good: 1, bad: 0))
        telemetry.close()
    }

    @Test("a bot's seconds are good while it lives, and count no more once it has closed its ring")
    func availability() throws {
        let telemetry = try attach()
        _ = try telemetry.counter("x_total", help: "X.")
        let collector = try CollectorHarness(
            directory,
            configuration: configuration(
                """
                { standard_objectives: false,
                  objectives: [{ name: 'up', availability: true, target: 0.9, coverage: 0 }] }
                """))
        for _ in 0..<50 { collector.leap() }
        let alive = try objective(try collector.look(), "up")
        #expect(alive.counts.bad == 0 && alive.counts.good >= 13 && alive.state == .met)
        telemetry.close()
        for _ in 0..<5 { collector.leap() }
        let closed = try objective(try collector.look(), "up").counts
        for _ in 0..<50 { collector.leap() }
        #expect(try objective(try collector.look(), "up").counts == closed)
        #expect(closed.bad == 0)
    }

    @Test("a ready-made alert fires by itself, is logged and shown, and is resolved")
    func alert() throws {
        let telemetry = try attach()
        let hits = try telemetry.counter("execution_rate_limit_hits_total", help: "Hits.", labels: ["venue": "X"])
        let breaker = try telemetry.gauge("strategy_circuit_breaker_active", help: "Tripped.")
        let collector = try CollectorHarness(directory, configuration: configuration("{}"))
        for _ in 0..<5 { collector.leap() }
        #expect(try collector.look().alerts.allSatisfy { $0.state == .inactive })
        hits.increment(by: 3)
        breaker.set(1)
        for _ in 0..<4 { collector.leap() }
        let firing = try collector.look().alerts.filter { $0.state == .firing }
        #expect(firing.map(\.alert) == ["circuit_breaker_active", "rate_limit_hit"])
        #expect(firing.map(\.severity) == ["P0", "P1"] && firing.map(\.value) == [1, 3])
        #expect(collector.said("alert firing", "alert=rate_limit_hit", "severity=P1", "bot=alpha"))
        breaker.set(0)
        for _ in 0..<95 { collector.leap() }
        #expect(!collector.said("alert resolved"))
        for _ in 0..<15 { collector.leap() }
        #expect(collector.said("alert resolved", "alert=circuit_breaker_active"))
        #expect(try collector.look().alerts.filter { $0.state == .firing }.map(\.alert) == ["rate_limit_hit"])
        telemetry.close()
    }
}
