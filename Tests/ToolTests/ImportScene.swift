import Glibc
import TestSupport
import Testing

/// A log, and the ring into which it is imported.
struct ImportScene {
    let rings = TemporaryRingDirectory()
    let folder = TemporaryRingDirectory(under: "/tmp")
    let log: TelemetryLog

    init(seed: UInt64 = 1) { log = TelemetryLog("\(folder.path)/log.csv", seed: seed) }

    var statePath: String { "\(log.path).ringside-import" }

    func arguments(_ options: [String]) -> [String] {
        ["import", log.path, "--ring", "legacy", "--ring-dir", rings.path] + options
    }

    /// Imports the present content of the log.
    @discardableResult
    func importAll(_ options: String..., expecting exit: ChildProcess.Exit = .code(0)) throws -> Tool {
        let tool = try Tool.run(arguments(options))
        #expect(tool.exit == exit, "\(tool.errors)")
        return tool
    }

    /// Starts an import that goes on until it is ended.
    func follow(_ options: String...) throws -> ChildProcess {
        try ChildProcess([ChildProcess.builtProgram("ringside")] + arguments(["--follow"] + options))
    }

    /// Returns a counter's total or a gauge's value for each metric in the ring.
    func values() throws -> [String: Double] {
        let metrics = try Tool.dump(rings.ring("legacy")).metrics
        return Dictionary(uniqueKeysWithValues: metrics.map { ($0.name ?? "", $0.value ?? Double($0.calls ?? 0)) })
    }

    /// Expects the ring to have everything that the source ever counted, and no more.
    func expectTotals(_ comment: Comment? = nil) throws {
        let values = try values()
        for (name, total) in zip(TelemetryLog.counters, log.totals) {
            #expect(values[name] == Double(total), "\(name) \(comment.map { "\($0)" } ?? "")")
        }
        #expect(values["csv_import_lines_total"] == Double(log.rows))
    }

    /// Waits until a live import has taken every row.
    func waitForAllRows() throws {
        try Watchdog.wait(for: "\(log.rows) rows in the ring") {
            guard access(rings.ring("legacy"), F_OK) == 0 else { return false }
            let lines = try values()["csv_import_lines_total"] ?? 0
            guard lines < Double(log.rows) else { return true }
            usleep(20_000)
            return false
        }
    }

    func edit(_ path: String, _ change: (String) -> String) {
        let text = String(decoding: RingFile(path).bytes(), as: UTF8.self)
        RingFile.make(path, Array(change(text).utf8))
    }
}
