import CRingside
import FoundationEssentials
import Glibc
import RingReader
import RingsideCatalogue
import TestSupport
import Testing

@testable import ringside_demo

@Suite("The command", .serialized)
struct DemoProgramTests {
    @Test("the report and the exact log are what lies in the ring, record by record and cell by cell")
    func reportsWhatItEmitted() throws {
        let demo = DemoProcess()
        let status = try demo.run([
            "--bots", "2", "--rate", "8000", "--duration", "1.5", "--report", demo.report, "--exact", demo.exact,
            "--fault", "api-down@0.4+0.2", "--fault", "loss-limit@0.7+0.2", "--fault", "disconnect@1+0.1",
        ])
        #expect(status == .code(0))
        let report = try decodedReport(demo)
        #expect(report.rings.map(\.bot) == ["demo1", "demo2"])
        for ring in report.rings {
            let segment = try Segment(
                name: try #require(RingName(ring.bot)), path: demo.ring(ring.bot))
            #expect(segment.isClosed && !segment.isProducerAlive)
            #expect(segment.position == ring.records)
            try compareCells(segment, ring)
            try compareRecords(segment, exactLines(demo, ring.bot))
        }
    }

    @Test(
        "with a pause meter the report has its ring too, equal to the ring's content, and the bot's own ring is unchanged"
    )
    func metersPauses() throws {
        let demo = DemoProcess()
        let status = try demo.run([
            "--bots", "2", "--rate", "2000", "--duration", "0.5", "--pause-meter", "--report", demo.report, "--exact",
            demo.exact,
        ])
        #expect(status == .code(0))
        let report = try decodedReport(demo)
        #expect(report.rings.map { "\($0.bot).\($0.lane)" } == ["demo1.", "demo1.pause", "demo2."])
        for ring in report.rings {
            let name = ring.lane.isEmpty ? ring.bot : "\(ring.bot).\(ring.lane)"
            let segment = try Segment(name: try #require(RingName(name)), path: demo.ring(name))
            #expect(segment.isClosed && segment.position == ring.records, "\(name)")
            try compareCells(segment, ring)
            try compareRecords(segment, exactLines(demo, name))
        }
        #expect(report.rings[1].metrics.map(\.name) == ["runtime_pause_seconds"])
        #expect(report.rings[1].records > 0)
    }

    @Test("a paced run takes exactly the messages that were due, and every stage has its measurements")
    func keepsItsRate() throws {
        let demo = DemoProcess()
        #expect(try demo.run(["--rate", "4000", "--duration", "1", "--report", demo.report]) == .code(0))
        let ring = try #require(try decodedReport(demo).rings.first)
        #expect(ring.value("data_ticks_received_total") == 4_000)
        #expect(demo.standardOutput.hasPrefix("demo1: 4000 messages"))
        for stage in [
            "strategy_candle_processing_seconds", "strategy_signal_generation_seconds",
            "risk_pretrade_check_latency_seconds", "orders_submit_to_ack_latency_seconds",
            "event_bus_publish_seconds", "event_bus_handle_seconds",
        ] {
            #expect(ring.count(stage) > 0, "\(stage)")
        }
        #expect(ring.value("orders_submitted_total", ["status": "success"]) > 0)
        let records = Double(ring.records) / 4_000
        #expect(records > 1.5 && records <= 4)
    }

    @Test("each fault shows in its own metrics, and only there")
    func showsFaults() throws {
        let demo = DemoProcess()
        let faults = ["disconnect@0.2", "kill-switch@0.2", "loss-limit@0.2", "api-down@0.2"]
        for fault in faults {
            #expect(
                try demo.run(["--rate", "4000", "--duration", "0.6", "--report", demo.report, "--fault", fault])
                    == .code(0))
            let ring = try #require(try decodedReport(demo).rings.first)
            #expect(ring.value("market_data_connected") == (fault == faults[0] ? 0 : 1))
            #expect(ring.value("strategy_kill_switch_active") == (fault == faults[1] ? 1 : 0))
            #expect(ring.value("strategy_circuit_breaker_active") == (fault == faults[2] ? 1 : 0))
            #expect(ring.value("execution_api_up") == (fault == faults[3] ? 0 : 1))
            let isAboveLimit = ring.value("strategy_daily_loss_usd") > ring.value("strategy_daily_loss_limit_usd")
            #expect(isAboveLimit == (fault == faults[2]))
        }
    }

    @Test(
        "what a fault makes a bot count is counted under it, and only there",
        arguments: [
            ("disconnect", ["market_data_websocket_connection_failures_total"]),
            ("bad-feed", ["data_normalization_errors_total", "data_dlq_messages_total"]),
            ("clock-skew", ["data_ntp_rejects_total"]),
            ("model-failure", ["strategy_inference_failures_total"]),
            ("rate-limit", ["execution_rate_limit_hits_total"]),
            ("kill-switch", []),
        ])
    func faultCounters(fault: String, counters: [String]) throws {
        let demo = DemoProcess()
        #expect(
            try demo.run([
                "--rate", "8000", "--duration", "0.8", "--report", demo.report, "--fault", "\(fault)@0.2+0.5",
            ]) == .code(0))
        let ring = try #require(try decodedReport(demo).rings.first)
        for name in [
            "market_data_websocket_connection_failures_total", "data_normalization_errors_total",
            "data_dlq_messages_total", "data_ntp_rejects_total", "strategy_inference_failures_total",
            "execution_rate_limit_hits_total",
        ] {
            #expect((ring.value(name) > 0) == counters.contains(name), "\(fault): \(name)")
        }
    }

    @Test("a slow risk check and a burst have the bot that they name, and the others stay as they were")
    func oneBotAlone() throws {
        let demo = DemoProcess()
        #expect(
            try demo.run([
                "--bots", "2", "--rate", "2000", "--duration", "0.8", "--report", demo.report,
                "--fault", "1:slow-risk@0.2+0.5", "--fault", "2:burst@0.3+0.1",
            ]) == .code(0))
        let rings = try decodedReport(demo).rings
        #expect(rings[0].value("data_ticks_received_total") == 1_600)
        #expect(rings[1].value("data_ticks_received_total") > 5_000)
        let slow = rings.map { $0.sum("risk_pretrade_check_latency_seconds") }
        #expect(slow[0] > 0.05 && slow[1] < slow[0])
    }

    @Test("every instrument of the catalogue is fed: a slow venue repeats cancellations, hedges keep to their part")
    func feedsTheCatalogue() throws {
        let demo = DemoProcess()
        let faults = [
            // Two quotes are withdrawn at once, so the second answer comes after 20 ms.
            "slow-venue@0.2+1", "slow-venue@2+0.9", "kill-switch@0.8+0.1", "bad-feed@0+0.2", "clock-skew@1.3+0.1",
            "model-failure@1.4+0.1",
            "rate-limit@1.5+0.2", "disconnect@1.7+0.1",
        ]
        #expect(
            try demo.run(
                ["--rate", "30000", "--duration", "3", "--pause-meter", "--report", demo.report]
                    + faults.flatMap { ["--fault", $0] }) == .code(0))
        let rings = try decodedReport(demo).rings
        for definition in TradingCatalogue.definitions {
            #expect(rings.contains { $0.metrics.contains { $0.name == definition.name } }, "\(definition.name)")
        }
        let ring = try #require(rings.first)
        #expect(ring.value("network_retransmissions_total") > 0)
        #expect(ring.value("data_storage_writes_total") > 0)
        for histogram in [
            "strategy_inference_seconds", "strategy_qp_solve_time_seconds",
            "market_data_websocket_latency_seconds", "data_storage_write_latency_seconds",
        ] {
            #expect(ring.count(histogram) > 0, "\(histogram)")
        }
    }

    @Test("a recording plays to its end, and its malformed lines are reported by number and counted")
    func playsRecordings() throws {
        let demo = DemoProcess()
        let recorded = try readFile(String(RecordedFeedTests.fixture))
        let orphan = "34199.0,3,999,10,5850000,1\n"
        try write(Array("no message\n\(orphan)".utf8) + recorded, to: "\(demo.folder)/feed.csv")
        #expect(
            try demo.run(["--feed", "\(demo.folder)/feed.csv", "--rate", "0", "--report", demo.report]) == .code(0))
        let ring = try #require(try decodedReport(demo).rings.first)
        #expect(ring.value("data_ticks_received_total") == 301)
        #expect(ring.value("data_validation_errors_total", ["error_type": "malformed"]) == 1)
        #expect(ring.value("data_messages_before_recording_total") == 1)
        #expect(demo.standardError.contains("feed.csv: line 1: found 1 field, expected 6"))

        let looped = ["--feed", "\(demo.folder)/feed.csv", "--loop", "--rate", "1000", "--duration", "1"]
        #expect(try demo.run(looped + ["--report", demo.report]) == .code(0))
        let again = try #require(try decodedReport(demo).rings.first)
        #expect(again.value("data_ticks_received_total") == 1_000)
        #expect(again.value("data_messages_before_recording_total") == 4)
    }

    @Test("SIGTERM ends a run cleanly: the report is written and the status is 0")
    func endsInOrder() throws {
        let demo = DemoProcess()
        try demo.start(["--rate", "2000", "--linger", "600", "--report", demo.report])
        try Watchdog.wait(for: "the first hundred records") {
            let segment = try? Segment(name: #require(RingName("demo1")), path: demo.ring("demo1"))
            return (segment?.position ?? 0) >= 100
        }
        demo.send(SIGTERM)
        #expect(try demo.wait() == .code(0))
        #expect(try decodedReport(demo).rings.first?.count("event_bus_handle_seconds") ?? 0 > 0)
    }

    @Test("while it lingers it is attached and silent, and the report is there")
    func lingers() throws {
        let demo = DemoProcess()
        try demo.start(["--rate", "2000", "--duration", "0.2", "--linger", "600", "--report", demo.report])
        try Watchdog.wait(for: "the report") { access(demo.report, F_OK) == 0 }
        let ring = try #require(try decodedReport(demo).rings.first)
        let segment = try Segment(name: #require(RingName("demo1")), path: demo.ring("demo1"))
        #expect(segment.isProducerAlive && !segment.isClosed)
        try compareCells(segment, ring)
        sleepNanoseconds(50_000_000)
        #expect(segment.position == ring.records)
        demo.send(SIGINT)
        #expect(try demo.wait() == .code(0))
    }

    @Test("without a ring it says so in one line and trades on")
    func tradesUnseen() throws {
        let demo = DemoProcess()
        let status = try demo.run([
            "--ring-dir", "/nonexistent", "--rate", "4000", "--duration", "0.5", "--report", demo.report,
        ])
        #expect(status == .code(0))
        #expect(demo.standardOutput.hasPrefix("demo1: 2000 messages"))
        #expect(demo.standardError.split(separator: "\n").count == 1)
        #expect(demo.standardError.hasPrefix("ringside-demo: demo1 goes on without telemetry: "))
        #expect(try decodedReport(demo).rings.isEmpty)
    }

    @Test("a resumed ring goes on from its counters, a fresh one begins at 0")
    func resumes() throws {
        let demo = DemoProcess()
        let arguments = ["--rate", "4000", "--duration", "0.25"]
        let path = demo.ring("demo1")
        func ticks() throws -> UInt64 {
            let segment = try Segment(name: #require(RingName("demo1")), path: path)
            let index = try #require(
                (0..<segment.metricCount).first { segment.metric($0)?.name == "data_ticks_received_total" })
            return segment.cell(index).first
        }
        #expect(try demo.run(arguments) == .code(0))
        #expect(try ticks() == 1_000)
        #expect(try demo.run(arguments + ["--resume"]) == .code(0))
        #expect(try ticks() == 2_000)
        #expect(try demo.run(arguments) == .code(0))
        #expect(try ticks() == 1_000)
    }
}

// MARK: - Comparing

private func decodedReport(_ demo: DemoProcess) throws -> DecodedReport {
    try JSONDecoder().decode(DecodedReport.self, from: Data(try readFile(demo.report)))
}

private func write(_ bytes: [UInt8], to path: String) throws {
    var file = try OutputFile(path)
    try file.append { $0 += bytes }
    try file.commit()
}

extension DecodedReport.Ring {
    private func metrics(_ name: String, _ labels: [String: String]) -> [DecodedReport.Metric] {
        metrics.filter { metric in
            metric.name == name && labels.allSatisfy { metric.labels[$0.key] == $0.value }
        }
    }

    func value(_ name: String, _ labels: [String: String] = [:]) -> Double {
        metrics(name, labels).reduce(0) { $0 + ($1.value ?? .nan) }
    }

    func sum(_ name: String) -> Double { metrics(name, [:]).reduce(0) { $0 + ($1.sum ?? 0) } }

    func count(_ name: String) -> UInt64 { metrics(name, [:]).reduce(0) { $0 + ($1.count ?? 0) } }
}

/// Expects every metric of the ring in the report with the number of its cell, and no other metric.
private func compareCells(_ segment: Segment, _ ring: DecodedReport.Ring) throws {
    var reported = ring.metrics
    for index in 0..<segment.metricCount {
        let metric = try #require(segment.metric(index))
        let labels = Dictionary(uniqueKeysWithValues: metric.labels.map { ($0.name, $0.value) })
        let cell = segment.cell(index).first
        let place = reported.firstIndex { $0.name == metric.name && $0.labels == labels }
        guard let place else {
            #expect(metric.kind == .gauge && cell == RINGSIDE_UNSET_WORD, "\(metric.name) is not in the report")
            continue
        }
        let found = reported.remove(at: place)
        #expect(found.kind == metric.kind.name)
        switch metric.kind {
        case .counter where metric.numberType == .real: #expect(found.value == Double(bitPattern: cell))
        case .counter: #expect(found.value == Double(cell))
        case .upDownCounter: #expect(found.value == Double(Int64(bitPattern: cell)))
        case .gauge: #expect(found.value == Double(bitPattern: cell))
        case .histogram: #expect(found.count == cell)
        }
    }
    #expect(reported.isEmpty)
}

/// `RINGSIDE_UNSET` is a macro that Swift does not see.
private let RINGSIDE_UNSET_WORD: UInt64 = 0x7ff8_524e_4753_4944

/// Returns the values of a bot in the exact log, by metric and labels, in the order of their emission.
private func exactLines(_ demo: DemoProcess, _ bot: String) throws -> [String: [Double]] {
    var values: [String: [Double]] = [:]
    for line in try readFile(demo.exact).split(separator: UInt8(ascii: "\n")) {
        let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
        try #require(fields.count == 4)
        if fields[0] == bot { values["\(fields[1]) \(fields[2])", default: []].append(try #require(Double(fields[3]))) }
    }
    return values
}

/// Expects every record of the ring in the exact log, in its order and with its value.
private func compareRecords(_ segment: Segment, _ exact: [String: [Double]]) throws {
    let keys = try (0..<segment.metricCount).map { index in
        let metric = try #require(segment.metric(index))
        let labels = metric.labels.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value)" }
        return "\(metric.name) \(labels.isEmpty ? "-" : labels.joined(separator: ","))"
    }
    var rest = exact.mapValues { $0[...] }
    var cursor = RingCursor(segment)
    let buffer = UnsafeMutablePointer<ringside_record>.allocate(capacity: RingCursor.batchLimit)
    defer { buffer.deallocate() }
    var misfits: [String] = []
    #expect(cursor.beforeAttach == 0)
    var isCaughtUp = false
    while !isCaughtUp {
        let batch = cursor.read(segment, into: buffer)
        isCaughtUp = batch.isCaughtUp
        for index in batch.offset..<batch.offset + batch.count {
            let key = keys[Int(ringside_record_metric(buffer + index))]
            let line = rest[key]?.popFirst()
            let expected = try #require(line, "\(key) has more records than lines")
            let value = value(of: buffer + index, ticksPerSecond: Double(segment.ticksPerSecond))
            if abs(value - expected) > abs(expected) * 1e-4 { misfits.append("\(key): \(value), logged \(expected)") }
        }
    }
    #expect(misfits.isEmpty)
    let leftOver = rest.values.reduce(0) { $0 + $1.count }
    #expect(leftOver == 0, "the exact log has lines without a record")
}

private func value(of record: UnsafePointer<ringside_record>, ticksPerSecond: Double) -> Double {
    switch ringside_encoding(ringside_record_encoding(record)) {
    case RINGSIDE_ENCODING_TICKS: Double(record.pointee.value) / ticksPerSecond
    case RINGSIDE_ENCODING_NANOSECONDS: Double(record.pointee.value) * 1e-9
    default: Double(bitPattern: record.pointee.value)
    }
}
