import FoundationEssentials
import Glibc
import TestSupport

/// A real server that stores series and answers Prometheus' queries.
struct MetricStore {
    let peer: Peer
    private let isVictoria: Bool

    /// Starts VictoriaMetrics of Debian 12, or that of Debian 13, which takes OTLP.
    static func victoriaMetrics(takesOTLP: Bool, in folder: String) throws -> MetricStore {
        let own = "\(repository)/.build/peers/victoria-metrics/usr/bin/victoria-metrics"
        let peer = try Peer(readyPath: "/health") { port in
            [
                takesOTLP ? own : "victoria-metrics", "-storageDataPath", "\(folder)/victoria-\(takesOTLP)",
                "-httpListenAddr=127.0.0.1:\(port)", "-retentionPeriod=1", "-search.latencyOffset=0s",
                "-memory.allowedPercent=10",
                // Attributes have dots, which no label may have. Names of metrics stay as they are.
            ] + (takesOTLP ? ["-usePromCompatibleNaming"] : [])
        }
        return MetricStore(peer: peer, isVictoria: true)
    }

    /// Starts Prometheus 2.42, which takes remote write.
    static func prometheus(in folder: String) throws -> MetricStore {
        try write("global: { scrape_interval: 1h }\n", to: "\(folder)/prometheus.yml")
        let peer = try Peer(readyPath: "/-/ready") { port in
            [
                "prometheus", "--config.file=\(folder)/prometheus.yml", "--storage.tsdb.path=\(folder)/prometheus",
                "--web.listen-address=127.0.0.1:\(port)", "--web.enable-remote-write-receiver",
                "--enable-feature=native-histograms",
            ]
        }
        return MetricStore(peer: peer, isVictoria: false)
    }

    /// One element of an answer.
    struct Element: Decodable {
        let metric: [String: String]
        /// Nil for a native histogram.
        let value: Double?
        /// The count and sum of a native histogram.
        let count: Double?
        let sum: Double?

        private enum Key: CodingKey { case metric, value, histogram }
        private struct Histogram: Decodable { let count, sum: String }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            metric = try container.decode([String: String].self, forKey: .metric)
            // Each is a pair of a time and the value at that time.
            func last<Value: Decodable>(_ key: Key, _: Value.Type) throws -> Value? {
                guard var pair = try? container.nestedUnkeyedContainer(forKey: key) else { return nil }
                _ = try pair.decode(Double.self)
                return try pair.decode(Value.self)
            }
            value = try last(.value, String.self).flatMap { Double($0) }
            let histogram = try last(.histogram, Histogram.self)
            count = histogram.flatMap { Double($0.count) }
            sum = histogram.flatMap { Double($0.sum) }
        }
    }

    private struct Answer: Decodable {
        let data: Result
        struct Result: Decodable { let result: [Element] }
    }

    /// Returns the present value of an expression.
    func query(_ expression: String) throws -> [Element] {
        if isVictoria { _ = try peer.get("/internal/force_flush") }
        let escaped = expression.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isLetter || character.isNumber
                ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        let answer = try peer.get("/api/v1/query?query=\(escaped)")
        guard answer.status == 200 else { throw Unexpected(description: "\(expression): \(answer.text)") }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.body)).data.result
    }

    /// Waits until the answer is as wanted, and asks a few times a second.
    func wait(for what: String, _ expression: String, until isWanted: ([Element]) -> Bool) throws {
        try Watchdog.wait(for: what) {
            if isWanted(try query(expression)) { return true }
            usleep(200_000)
            return false
        }
    }

    /// Returns the one number that an expression gives.
    func number(_ expression: String) throws -> Double {
        let elements = try query(expression)
        guard elements.count == 1, let value = elements[0].value else {
            throw Unexpected(description: "\(expression) is no one number: \(elements)")
        }
        return value
    }

    /// Returns the counters and histograms of a bot, by the names of the demo's report. Native histograms are treated
    /// like those with `_count`.
    ///
    /// - Parameter ring: The report, whose counters and histograms are wanted.
    func totals(of bot: String, _ ring: Report.Ring) throws -> Totals {
        let counters = Set(ring.metrics.filter { $0.kind == "counter" }.map(\.name))
        let histograms = Set(ring.metrics.filter { $0.kind == "histogram" }.map(\.name))
        var totals: Totals = [:]
        for element in try query("{bot=\"\(bot)\",__name__!~\".*_bucket|.*_window.*\"}") {
            let name = element.metric["__name__"] ?? ""
            let labels = element.metric.filter { !Self.added.contains($0.key) }
            func note(_ name: String, _ part: TotalKey.Part, _ value: Double?) {
                totals[TotalKey(metric: MetricKey(name: name, labels: labels), of: part)] = value
            }
            if counters.contains(name) { note(name, .value, element.value) }
            if histograms.contains(name), let count = element.count { note(name, .count, count) }
            if name.hasSuffix("_count"), histograms.contains(String(name.dropLast(6))) {
                note(String(name.dropLast(6)), .count, element.value)
            }
            if name.hasSuffix("_calls_total"), histograms.contains(String(name.dropLast(12))) {
                note(String(name.dropLast(12)), .calls, element.value)
            }
        }
        return totals
    }

    /// Labels that do not belong to a metric: the name, the labels that exports add, and the demo's constant ones.
    private static let added: Set<String> = [
        "__name__", "bot", "host", "host_name", "service_name", "env", "service", "lane",
    ]
}
