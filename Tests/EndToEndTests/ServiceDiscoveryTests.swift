import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("Collectors of one host, found by Prometheus") struct ServiceDiscoveryTests {
        private let rings = TemporaryRingDirectory()
        private let folder = TemporaryRingDirectory(under: "/tmp")

        private struct Target: Decodable, Equatable {
            let targets: [String]
            let labels: [String: String]
        }

        private func targets(_ daemon: Daemon) throws -> [Target] {
            try JSONDecoder().decode([Target].self, from: Data(daemon.get("/sd").body))
        }

        /// Returns the addresses of the targets that Prometheus now scrapes with success.
        private func scraped(_ prometheus: Peer) throws -> Set<String> {
            struct Answer: Decodable {
                let data: Targets
                struct Targets: Decodable { let activeTargets: [Active] }
                struct Active: Decodable {
                    let labels: [String: String]
                    let health: String
                }
            }
            let body = try prometheus.get("/api/v1/targets?state=active").body
            let active = try JSONDecoder().decode(Answer.self, from: Data(body)).data.activeTargets
            return Set(active.filter { $0.health == "up" }.compactMap { $0.labels["instance"] })
        }

        private var register: [String] { rings.entries().filter { $0.hasPrefix(".ringside-") } }

        @Test(
            "each of three collectors lists all of them with what it takes, Prometheus scrapes them, and one that is killed or ends is listed no more"
        )
        func three() throws {
            let alpha = try Daemon(rings, ["--ring", "alpha", "--ring", "beta"])
            var others = try (0..<2).map { _ in try Daemon(rings) }
            func names(_ daemons: [Daemon]) -> [String] { daemons.map { "127.0.0.1:\($0.port)" }.sorted() }
            let all = try targets(alpha)
            #expect(all.flatMap(\.targets).sorted() == names([alpha] + others))
            #expect(try targets(others[0]) == all)
            let own = try #require(all.first { $0.targets == names([alpha]) })
            #expect(own.labels["__meta_ringside_rings"] == "alpha,beta" && own.labels["__scheme__"] == "http")
            #expect(own.labels["__meta_ringside_version"]?.isEmpty == false && register.count == 3)

            try write(
                """
                scrape_configs:
                  - job_name: ringside
                    scrape_interval: 1s
                    http_sd_configs: [{ url: "http://127.0.0.1:\(alpha.port)/sd", refresh_interval: 1s }]
                    relabel_configs:
                      - { source_labels: [__meta_ringside_rings], target_label: rings }
                """, to: "\(folder.path)/prometheus.yml")
            let prometheus = try Peer(readyPath: "/-/ready") { port in
                [
                    "prometheus", "--config.file=\(folder.path)/prometheus.yml",
                    "--storage.tsdb.path=\(folder.path)/data",
                    "--web.listen-address=127.0.0.1:\(port)",
                ]
            }
            try Watchdog.wait(for: "three targets that are up") {
                try scraped(prometheus) == Set(names([alpha] + others))
            }
            let query = "/api/v1/query?query=up%7Brings%3D%22alpha%2Cbeta%22%7D"
            #expect(try prometheus.get(query).text.contains("\"instance\":\"127.0.0.1:\(alpha.port)\""))

            // One collector is killed. Only its lock shows that.
            #expect(try others[0].process.end(by: SIGKILL) == .signal(SIGKILL))
            #expect(register.count == 3)
            #expect(try targets(alpha).flatMap(\.targets) == names([alpha, others[1]]))
            #expect(register.count == 2)
            // One ends, and removes its file.
            #expect(try others[1].process.end() == .code(0))
            #expect(register.count == 1)
            others = [try Daemon(rings)]
            try Watchdog.wait(for: "the two that there are") {
                try scraped(prometheus) == Set(names([alpha] + others))
            }
            #expect(try alpha.process.end() == .code(0))
        }

        @Test(
            "one that listens on all addresses is listed under the name by which it was asked, and strangers' files are not believed"
        )
        func named() throws {
            let daemon = try Daemon(
                rings, ["--web.listen-address", "0.0.0.0:0", "--web.allowed-host", "trader-7.example"])
            #expect(try targets(daemon).flatMap(\.targets) == ["127.0.0.1:\(daemon.port)"])
            let asked = try run([
                "curl", "--silent", "-H", "Host: trader-7.example:80", "http://127.0.0.1:\(daemon.port)/sd",
            ]).output
            #expect(asked.contains("\"targets\":[\"trader-7.example:\(daemon.port)\"]"))
            for odd in ["a/b\"c", "trader-8.example"] {
                let refused = try run(["curl", "--silent", "-H", "Host: \(odd)", "http://127.0.0.1:\(daemon.port)/sd"])
                #expect(!refused.output.contains("targets"))
            }
            let nameless = try run([
                "curl", "--silent", "--http1.0", "-H", "Host:", "http://127.0.0.1:\(daemon.port)/sd",
            ]).output
            #expect(nameless.contains("\"targets\":[\"localhost:\(daemon.port)\"]"))

            // These files belong to no living collector. None is listed, and those that may be removed are removed.
            let planted = "{\"host\":\"evil\",\"port\":1,\"isEncrypted\":false,\"version\":\"\",\"rings\":[]}"
            try write(planted, to: "\(rings.path)/.ringside-collector-1")
            #expect(mkfifo("\(rings.path)/.ringside-collector-2", 0o600) == 0)
            #expect(symlink("/etc/passwd", "\(rings.path)/.ringside-collector-3") == 0)
            #expect(try targets(daemon).flatMap(\.targets) == ["127.0.0.1:\(daemon.port)"])
            #expect(!register.contains(".ringside-collector-1"))
            #expect(try daemon.process.end() == .code(0))
        }
    }
}
