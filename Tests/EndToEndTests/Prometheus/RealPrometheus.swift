import FoundationEssentials
import Glibc
import TestSupport

/// A Prometheus that scrapes a collector every two seconds in all three forms, each as a job of its own. It is killed
/// with the last reference.
final class RealPrometheus {
    private let process: ChildProcess
    private let proxy: ChildProcess
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private let port: UInt16

    static let jobs = ["protobuf", "openmetrics", "text"]

    /// Starts Prometheus and waits until each job has been scraped.
    init(scraping target: UInt16) throws {
        guard let prometheus = commandPath("prometheus") else {
            throw Unexpected(description: "Prometheus is not installed: tools/setup --tests")
        }
        let script = "\(#filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" })/accept_proxy.py"
        proxy = try ChildProcess([Python.path, script, "http://127.0.0.1:\(target)"])
        guard let proxyPort = UInt16(try proxy.line(beginning: "").prefix { $0 != "\n" }) else {
            throw Unexpected(description: "the proxy said no port: \(proxy.standardError)")
        }
        RingFile.make("\(folder.path)/prometheus.yml", Array(Self.configuration(target, proxyPort).utf8))
        port = try Self.freePort()
        process = try ChildProcess([
            prometheus, "--config.file=\(folder.path)/prometheus.yml", "--storage.tsdb.path=\(folder.path)/data",
            "--web.listen-address=127.0.0.1:\(port)", "--enable-feature=native-histograms,exemplar-storage",
        ])
        try Watchdog.wait(for: "three jobs that are up") {
            (try? query("up == 1").count) == Self.jobs.count || process.hasEnded()
        }
    }

    /// The complaints about scrapes in its log.
    var complaints: [Substring] {
        process.standardError.split(separator: "\n").filter {
            ($0.contains("level=warn") || $0.contains("level=error")) && $0.contains("scrape")
                // The exemplars of one native histogram are in the order of its buckets, not of their times. Version
                // 2.42 complains about that.
                && !$0.contains("out-of-order exemplars")
        }
    }

    /// Returns the configuration. Version 2.42 asks for protobuf first, which cannot be changed for one job alone. So
    /// the proxy changes it.
    private static func configuration(_ target: UInt16, _ proxy: UInt16) -> String {
        """
        global: { scrape_interval: 2s, scrape_timeout: 2s }
        scrape_configs:
          - { job_name: protobuf, static_configs: [{ targets: ["127.0.0.1:\(target)"] }] }
          - { job_name: openmetrics, metrics_path: /openmetrics, static_configs: [{ targets: ["127.0.0.1:\(proxy)"] }] }
          - { job_name: text, metrics_path: /text, static_configs: [{ targets: ["127.0.0.1:\(proxy)"] }] }
        """
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw Unexpected(description: "no free port: errno \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }

    // MARK: Asking

    struct Sample {
        let labels: [String: String]
        let value: Double
    }

    private struct Answer<Content: Decodable>: Decodable {
        let data: Content
    }

    private struct Vector: Decodable {
        let result: [Element]

        struct Element: Decodable {
            let metric: [String: String]
            let value: Value
        }

        /// `[1700000000.1, "0.5"]`
        struct Value: Decodable {
            let text: String

            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                _ = try list.decode(Double.self)
                text = try list.decode(String.self)
            }
        }
    }

    /// Returns the present value of an expression.
    func query(_ expression: String) throws -> [Sample] {
        let answer: Answer<Vector> = try get("/api/v1/query?query=\(expression.percentEncoded)")
        return answer.data.result.map { Sample(labels: $0.metric, value: Double($0.value.text) ?? .nan) }
    }

    private struct ExemplarSeries: Decodable {
        let exemplars: [Exemplar]

        struct Exemplar: Decodable {
            let labels: [String: String]
        }
    }

    /// Returns the trace ids of the exemplars that the series of an expression have had.
    func traces(_ expression: String) throws -> [String] {
        let end = time(nil)
        let path = "/api/v1/query_exemplars?query=\(expression.percentEncoded)&start=\(end - 3600)&end=\(end + 1)"
        let answer: Answer<[ExemplarSeries]> = try get(path)
        return answer.data.flatMap(\.exemplars).compactMap { $0.labels["trace_id"] }
    }

    private func get<Content: Decodable>(_ path: String) throws -> Answer<Content> {
        let response = try HTTPClient.request(path, port: port)
        guard response.status == 200 else { throw Unexpected(description: "\(path): \(response.text)") }
        return try JSONDecoder().decode(Answer<Content>.self, from: Data(response.body))
    }
}

extension String {
    fileprivate var percentEncoded: String {
        let kept = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
        return utf8.map { byte in
            if kept.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
