import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("Many collectors into one engine") struct Fleet {
        private let files = TemporaryRingDirectory(under: "/tmp")

        /// A host of the fleet, with its own loopback address, rings, collector and bot.
        private final class Host {
            let name: String
            let rings = TemporaryRingDirectory()
            let collector: ChildProcess
            let demo: Demo

            init(_ number: Int, configuration: String, folder: String, seconds: Int) throws {
                name = "trader\(number)"
                let path = "\(folder)/\(name).json5"
                try write(configuration.replacing("HOST", with: name), to: path)
                collector = try ChildProcess([
                    ChildProcess.builtProgram("ringsided"), "--ring-dir", rings.path, "--config", path,
                    "--web.listen-address", "127.0.0.\(number + 1):0", "--state-dir", "\(folder)/\(name)",
                ])
                // Each bot sees another market, so that the hosts differ.
                demo = try Demo(
                    rings,
                    [
                        "--rate", "\(500 * number)", "--duration", "\(seconds)", "--seed", "\(number)", "--linger",
                        "600",
                    ],
                    keepsValues: true)
            }
        }

        private static let metric = "strategy_signal_generation_seconds"

        @Test(
            "the p99 of eight hosts that push histograms is that of all their values, as near as the engine's buckets allow"
        )
        func pooled() throws {
            let victoria = try MetricStore.victoriaMetrics(takesOTLP: true, in: files.path)
            let prometheus = try MetricStore.prometheus(in: files.path)
            // VictoriaMetrics keeps a series for each bucket. One scale for all makes the buckets of all hosts the
            // same.
            let scale = 4
            let configuration = """
                { exports: {
                  otlp: [{ name: "v", url: "\(victoria.peer.url)/opentelemetry", interval: "1s", scale: \(scale), max_buckets: "none",
                    labels: { host: "HOST" } }],
                  remote_write: [{ name: "p", url: "\(prometheus.peer.url)/api/v1/write", interval: "1s", labels: { host: "HOST" } }],
                } }
                """
            let hosts = try (1...8).map {
                try Host($0, configuration: configuration, folder: files.path, seconds: isLongRun ? 30 : 4)
            }
            let rings = try hosts.map { try $0.demo.report().ring("demo1") }
            for host in hosts {
                #expect(try host.collector.end() == .code(0), "\(host.collector.standardError.suffix(500))")
                #expect(try host.demo.process.end() == .code(0))
            }
            var pooled = try hosts.flatMap { host in
                try host.demo.exactValues().filter { $0.key.name == Self.metric }.flatMap(\.value)
            }
            pooled.sort()
            let count = rings.flatMap(\.metrics).filter { $0.name == Self.metric }.reduce(0) { $0 + ($1.count ?? 0) }
            #expect(UInt64(pooled.count) == count && count > 1000)
            let exact = pooled.quantile(0.99)

            // Each host's own count is there under its name, and their sum is that of the fleet.
            for (store, counts) in [
                (prometheus, "sum by (host) (histogram_count(\(Self.metric)))"),
                (victoria, "sum by (host_name) (\(Self.metric)_count)"),
            ] {
                // Accepted samples show a little later.
                try store.wait(for: "the counts of eight hosts", counts) {
                    $0.count == 8 && $0.compactMap(\.value).reduce(0, +) == Double(count)
                }
            }

            // Schema 6 and linear interpolation within a bucket: the error is at most the width of the bucket, 2^(1/64)
            // - 1.
            let native = try prometheus.number("histogram_quantile(0.99, sum(\(Self.metric)))")
            #expect(abs(native - exact) <= 0.0109 * exact, "Prometheus: \(native), exactly \(exact)")
            // Scale 4: 2^(1/16) - 1 = 4.43 %, and VictoriaMetrics writes the edges with four digits.
            let ranges = try victoria.number("histogram_quantile(0.99, sum(\(Self.metric)_bucket) by (vmrange))")
            #expect(abs(ranges - exact) <= 0.0453 * exact, "VictoriaMetrics: \(ranges), exactly \(exact)")
        }

        @Test("the files that show a fleet are good: each collector's configuration, and Prometheus'")
        func examples() throws {
            let folder = "\(repository)/tools/monitoring/fleet"
            for name in ["prometheus", "victoriametrics", "mimir"] {
                let path = "\(folder)/collector-\(name).json5"
                let checked = try run([ChildProcess.builtProgram("ringsided"), "--config", path, "--check-config"])
                #expect(checked.exit == .code(0), "\(name): \(checked.errors)")
            }
            let checked = try run(["promtool", "check", "config", "\(folder)/prometheus.yml"])
            #expect(checked.exit == .code(0), "\(checked.output) \(checked.errors)")
        }
    }
}
