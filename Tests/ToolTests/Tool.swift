import FoundationEssentials
import Ringside
import TestSupport

/// A run of the built `ringside`.
struct Tool {
    let exit: ChildProcess.Exit
    let output: String
    let errors: String

    struct Failed: Error { let errors: String }

    static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Tool {
        try run(arguments, environment: environment)
    }

    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Tool {
        let child = try ChildProcess([ChildProcess.builtProgram("ringside")] + arguments, environment: environment)
        let exit = try child.wait()
        return Tool(exit: exit, output: child.standardOutput, errors: child.standardError)
    }

    static func list(_ directory: TemporaryRingDirectory, _ more: String...) throws -> [RingOfList] {
        let arguments = ["list", "--ring-dir", directory.path, "--format", "json", "--interval", "10ms"]
        let tool = try run(arguments + (more.isEmpty ? ["--collector", "http://127.0.0.1:1"] : more))
        return try JSONDecoder().decode(ListDocument.self, from: Data(tool.output.utf8)).rings
    }

    static func dump(_ file: String, _ more: String...) throws -> DumpDocument {
        let tool = try run(["dump", file, "--format", "json"] + more)
        guard tool.exit == .code(0) else { throw Failed(errors: tool.errors) }
        return try JSONDecoder().decode(DumpDocument.self, from: Data(tool.output.utf8))
    }
}

struct ListDocument: Decodable {
    let rings: [RingOfList]
}

struct RingOfList: Decodable {
    let ring, bot, lane, state: String
    let pid: Int?
    let age_seconds, rate: Double?
    let position, capacity: UInt64?
    let metrics: Int?
    let sampling: String?
    let backlog, lost: UInt64?
    let error: String?
}

struct DumpDocument: Decodable {
    struct Header: Decodable {
        let version, ring_id, boot_id, created: String
        let this_boot: Bool?
        let tick_hz: UInt64?
        let capacity: UInt64
    }

    struct Captured: Decodable {
        let time, host, ring: String
        let first_whole, end_of_whole: UInt64
    }

    struct Producer: Decodable {
        let position: UInt64
        let metric_count: Int
        let refused_metrics: UInt64
        let closed: Bool
    }

    struct Life: Decodable {
        let number, first_position: UInt64
        let began, command, clock: String
        let pid: Int
        let labels: [String: String]
        let call_cost_seconds: [String: Double]
    }

    struct Metric: Decodable {
        let id: Int
        let name, kind, unit, control: String?
        let labels: [String: String]
        let life: UInt64?
        let value, max: Double?
        let calls, abandoned: UInt64?
    }

    struct Record: Decodable {
        let sequence: UInt64
        let time: String?
        let unix_seconds: Double?
        let ticks: UInt64?
        let metric: Int?
        let name, kind, encoding: String?
        let value: Double?
        let weight: Int?
        let failed: Bool?
        let trace_id, undecodable: String?
    }

    struct Damage: Decodable {
        let area, place, problem: String

        var line: String { "\(area): \(place): \(problem)" }
    }

    let state: String
    let captured: Captured?
    let header: Header
    let producer: Producer?
    let lives: [Life]
    let metrics: [Metric]
    let records_held: UInt64
    let records: [Record]
    let damage_count: Int
    let damage: [Damage]
}

/// Makes a small ring of every kind of metric and record. It is still held during `body`, and then closed.
func withTradingRing(
    _ name: String, in directory: TemporaryRingDirectory, capacity: Int = 16, laps: Int = 1,
    labels: Labels = ["venue": "test"], _ body: (borrowing Telemetry) throws -> Void = { _ in }
) throws {
    let options = AttachOptions(
        directory: directory.path, capacityRecords: capacity, metricCapacity: 8, labels: labels)
    let telemetry = try Telemetry.attach(name, options: options)
    let ticks = try telemetry.counter("ticks_total", help: "Ticks.", labels: ["symbol": "BTC-USDT"])
    let open = try telemetry.upDownCounter("open_orders", help: "Open orders.")
    let exposure = try telemetry.gauge("exposure_usd", unit: .usd, help: "Exposure.")
    let _ = try telemetry.gauge("fill_ratio", unit: .ratio, help: "Never set.")
    let decide = try telemetry.durationHistogram("decide_seconds", help: "From tick to decision.")
    let slippage = try telemetry.histogram("slippage_bps", unit: .bps, help: "Slippage.")
    for _ in 0..<laps {
        ticks.increment(by: 3)
        open.add(2)
        open.add(-1)
        exposure.set(-12.5)
        let now = telemetry.now()
        decide.record(from: Instant(ticks: now.ticks - 28_000), to: now)
        decide.start().fail()
        slippage.record(-0.25)
        decide.record(nanoseconds: 1500)
        do { _ = decide.start() }
    }
    try body(telemetry)
    telemetry.close()
}
