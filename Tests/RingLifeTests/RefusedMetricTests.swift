import Collector
import Drain
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// Tests that the collector, and not only the bot, shows metrics for which a ring had no room.
@Suite struct RefusedMetricTests {
    private let directory = TemporaryRingDirectory()

    @Test("registrations that a ring refused are counted in every snapshot as long as the ring is there")
    func counted() throws {
        let options = AttachOptions(directory: directory.path, capacityRecords: 64, metricCapacity: 1)
        let telemetry = try Telemetry.attach("alpha", options: options)
        let collector = try CollectorHarness(directory)
        _ = try telemetry.counter("first_total", help: "Has room.")
        #expect(try collector.settle().ring()?.refusedMetrics == 0)
        for name in ["second_total", "third_total"] {
            #expect(throws: RegistrationError.self) { try telemetry.counter(name, help: "Has none.") }
        }
        #expect(try collector.settle().ring()?.refusedMetrics == 2)
        telemetry.close()
    }

    private func attach(_ lane: String) throws -> Telemetry {
        try Telemetry.attach(
            "alpha.\(lane)", options: AttachOptions(directory: directory.path, capacityRecords: 64, metricCapacity: 8))
    }

    @Test(
        "a metric that comes back when another lane has its name with another kind is refused, counted and named, and shown again once that lane has gone"
    )
    func returned() throws {
        let collector = try CollectorHarness(directory)
        let first = try attach("a")
        let early = try first.histogram("x", help: "X.")
        early.record(1)
        #expect(try collector.settle().ring("a")?.drained == 1)
        first.close()
        try collector.turn(until: "the first lane's end") { $0.ring("a")?.isUp == false }
        collector.forgetTotals()
        let other = try attach("b")
        let gauge = try other.gauge("x", help: "X.")
        gauge.set(4)
        #expect(try collector.settle().bot()?.reading("x").map { if case .gauge = $0 { true } else { false } } == true)

        let second = try attach("a")
        let late = try second.histogram("x", help: "X.")
        let count = try second.counter("y_total", help: "Y.")
        for _ in 0..<3 { late.record(1) }
        count.increment()
        var snapshot = try collector.settle()
        #expect(snapshot.ring("a")?.drained == 1 && snapshot.ring("a")?.lost(.refused) == 3)
        #expect(snapshot.ring("a")?.conflictingMetrics == ["x"] && snapshot.ring("b")?.conflictingMetrics == [])
        #expect(snapshot.counter("y_total") == 1)
        for _ in 0..<3 { _ = try collector.settle() }
        let lines = collector.log.split(separator: "\n").filter { $0.contains("metric refused") }
        #expect(lines.allSatisfy { $0.contains("ring=alpha.a") && $0.contains("metric x: ") })
        #expect(lines.count == 2, "once when its series gave way, and once when it came back")
        second.close()
        other.close()
        try collector.turn(until: "the end of both") { $0.bot()?.isUp == false }

        let third = try attach("a")
        let again = try third.histogram("x", help: "X.")
        for _ in 0..<5 { again.record(2) }
        snapshot = try collector.settle()
        #expect(snapshot.ring("a")?.lost(.refused) == 3 && snapshot.ring("a")?.drained == 6)
        #expect(snapshot.histogram("x")?.total.count == 5)
        #expect(snapshot.ring("a")?.conflictingMetrics == [])
        third.close()
    }

    @Test("series whose labels differ in their bytes alone stay two, over a restart of the collector too")
    func bytes() throws {
        let telemetry = try attach("a")
        let folder = TemporaryRingDirectory(under: "/tmp")
        let counters = try ["caf\u{E9}", "cafe\u{301}"].map {
            try telemetry.counter("fills_total", help: "Fills.", labels: ["venue": $0])
        }
        counters[0].increment(by: 100)
        counters[1].increment(by: 55)
        func values(_ snapshot: Snapshot) -> [String] {
            (snapshot.bot()?.metrics ?? []).map { metric in
                guard case .counter(let counter) = metric.reading else { return "" }
                return "\(metric.labels[0].value.utf8.count) \(counter.value.double)"
            }
        }
        var collector: CollectorHarness? = try CollectorHarness(directory, checkpoint: try CheckpointFile(folder))
        #expect(try values(#require(collector).settle()) == ["6 55.0", "5 100.0"])
        collector?.end()
        collector = nil
        counters[1].increment()
        let second = try CollectorHarness(directory, checkpoint: try CheckpointFile(folder))
        #expect(try values(second.settle()) == ["6 56.0", "5 100.0"])
        telemetry.close()
    }
}
