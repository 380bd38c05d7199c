import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

/// Tests that a bot that registers thousands of metrics delays no other bot.
@Suite struct ManyMetricsTests {
    private let directory = TemporaryRingDirectory()

    private func attach(_ name: String, metrics: Int) throws -> Telemetry {
        try Telemetry.attach(
            name, options: AttachOptions(directory: directory.path, capacityRecords: 1024, metricCapacity: metrics))
    }

    @Test(
        "thousands of metrics are registered over several turns; other rings are drained in each, and every record waits for its metric"
    )
    func shared() throws {
        let count = 12_000
        let other = try attach("other", metrics: 4)
        let values = try other.histogram("values", help: "Of the other bot.")
        let collector = try CollectorHarness(directory)
        try collector.settle()

        let many = try attach("many", metrics: count + 1)
        for index in 0..<count {
            _ = try many.counter("fills_total", help: "Fills.", labels: ["symbol": "S\(index)"])
        }
        let last = try many.histogram("last", help: "Registered last.")
        for value in 0..<100 { last.record(Double(value)) }
        var drainedEarly = 0
        for turn in 1... {
            values.record(1)
            let snapshot = try collector.turn(until: "a turn") { _ in true }
            #expect(snapshot.ring(of: "other")?.drained == UInt64(turn))
            guard let ring = snapshot.ring(of: "many") else { continue }
            #expect(ring.totalLost == 0)
            if ring.drained == 100 { break }
            // No record is read before its metric is there, and none is lost meanwhile.
            #expect(ring.drained == 0 && ring.backlog == 100)
            drainedEarly += 1
        }
        #expect(drainedEarly > 2)
        let settled = try collector.settle()
        #expect(settled.bot("many")?.metrics.count == count + 1)
        #expect(settled.ring(of: "many")?.drained == 100)
        many.close()
        other.close()
    }

    @Test("a ring of thousands of metrics that is removed at once is registered and drained to its end")
    func removed() throws {
        let collector = try CollectorHarness(directory)
        try collector.settle()
        let many = try attach("many", metrics: 4096)
        for index in 0..<4000 {
            try many.counter("fills_total", help: "Fills.", labels: ["symbol": "S\(index)"]).increment()
        }
        try many.histogram("last", help: "Registered last.").record(1)
        try collector.turn()
        many.close()
        unlink(directory.ring("many"))
        let settled = try collector.turn(until: "all of a ring that is gone") { $0.bot("many")?.metrics.count == 4001 }
        #expect(settled.bot("many")?.rings.first?.drained == 1)
        #expect(settled.bot("many")?.rings.first?.totalLost == 0)
    }
}
