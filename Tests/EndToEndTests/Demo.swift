import FoundationEssentials
import Glibc
import TestSupport

/// A `ringside-demo`. It is killed with the last reference if it has not ended by then.
final class Demo {
    let process: ChildProcess
    private let outputs = TemporaryRingDirectory(under: "/tmp")
    private var reportPath: String { "\(outputs.path)/report.json" }
    /// The file with every value, one a line.
    var exactPath: String { "\(outputs.path)/exact.txt" }

    /// - Parameters:
    ///   - keepsValues: Also write every value, for ``exactValues()``.
    ///   - launcher: A command that runs the demo as its arguments.
    init(
        _ rings: TemporaryRingDirectory, _ options: [String], keepsValues: Bool = false, launcher: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        process = try ChildProcess(
            launcher + [ChildProcess.builtProgram("ringside-demo"), "--ring-dir", rings.path]
                + ["--report", "\(outputs.path)/report.json"]
                + (keepsValues ? ["--exact", "\(outputs.path)/exact.txt"] : []) + options, environment: environment)
    }

    /// Waits until all bots have emitted their last values, and returns the values emitted.
    func report() throws -> Report {
        let path = reportPath
        try Watchdog.wait(for: "the demo's report", limitSeconds: isLongRun ? 300 : 120) {
            access(path, F_OK) == 0 || process.hasEnded()
        }
        return try JSONDecoder().decode(Report.self, from: Data(contentsOf: path))
    }

    /// Returns every histogram value, by ring and metric, ascending.
    func exactValues() throws -> [ExactKey: [Double]] { try readExactLog(exactPath) }

    /// The bots' own summaries at the end.
    var tallies: [Tally] { process.lines.compactMap { Tally($0) } }

    /// `demo1: 39988 messages in 2.0 s (19994/s), 12 orders, …`
    struct Tally {
        let bot: String
        let messages: Int
        let messagesPerSecond: Int

        init?(_ line: Substring) {
            let words = line.split(separator: " ")
            guard words.count > 2, words[0].last == ":", words[2].hasPrefix("messages"), let messages = Int(words[1]),
                let rate = words.first(where: { $0.hasPrefix("(") })?.dropFirst().split(separator: "/").first,
                let messagesPerSecond = Int(rate)
            else { return nil }
            bot = String(words[0].dropLast())
            self.messages = messages
            self.messagesPerSecond = messagesPerSecond
        }
    }
}

/// The emissions of a demo run: the truth that the collector is compared with.
struct Report: Decodable {
    let rings: [Ring]

    struct Ring: Decodable {
        let bot: String
        let lane: String
        let records: UInt64
        let metrics: [Metric]
    }

    struct Metric: Decodable {
        let name: String
        let kind: String
        let labels: [String: String]
        let count: UInt64?
        let sum: Double?
        let value: Double?

        var key: MetricKey { MetricKey(name: name, labels: labels) }
    }

    func ring(_ bot: String, lane: String = "") throws -> Ring {
        guard let ring = rings.first(where: { $0.bot == bot && $0.lane == lane }) else {
            throw Unexpected(description: "the report has no ring \(bot) with lane \"\(lane)\"")
        }
        return ring
    }
}

extension Report.Ring {
    /// The totals as in ``Latest/Bot/totals``. Without sampling and without loss, each call is a record.
    var totals: Totals {
        var totals: Totals = [:]
        for metric in metrics {
            totals[TotalKey(metric: metric.key, of: .value)] = metric.kind == "counter" ? metric.value : nil
            totals[TotalKey(metric: metric.key, of: .count)] = metric.count.map { Double($0) }
            totals[TotalKey(metric: metric.key, of: .calls)] = metric.count.map { Double($0) }
        }
        return totals
    }

    /// The gauges that were set.
    var gauges: [MetricKey: Double] { values(of: "gauge") }

    var upDownCounters: [MetricKey: Double] { values(of: "up_down_counter") }

    private func values(of kind: String) -> [MetricKey: Double] {
        Dictionary(uniqueKeysWithValues: metrics.filter { $0.kind == kind }.map { ($0.key, $0.value ?? .nan) })
    }
}

extension Data {
    fileprivate init(contentsOf path: String) throws {
        self = try Data(contentsOf: URL(filePath: path))
    }
}
