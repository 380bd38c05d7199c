import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("Alertmanager, notified by the collector") struct AlertmanagerTests {
        private let rings = TemporaryRingDirectory()
        private let files = TemporaryRingDirectory(under: "/tmp")

        private struct Alert: Decodable {
            let labels: [String: String]
            let annotations: [String: String]
            let status: Status
            let generatorURL: String

            struct Status: Decodable { let state: String }
        }

        private func alertmanager() throws -> Peer {
            let folder = "\(files.path)/\(files.entries().count)"
            mkdir(folder, 0o700)
            let configuration = "\(folder)/alertmanager.yml"
            try write("route:\n  receiver: none\nreceivers:\n  - name: none\n", to: configuration)
            return try Peer(readyPath: "/-/ready") { port in
                [
                    "prometheus-alertmanager", "--config.file", configuration, "--storage.path", "\(folder)/data",
                    "--web.listen-address=127.0.0.1:\(port)", "--cluster.listen-address=",
                ]
            }
        }

        /// Starts a collector that checks whether the demo's market data are connected.
        private func collector(_ peers: [Peer], standardAlerts: Bool = false) throws -> Daemon {
            let path = "\(files.path)/ringside.json5"
            let list = peers.map {
                "{ url: '\($0.url)', labels: { site: 'ld4' }, interval: '1s', retry_max: '500ms', generator_url: 'http://desk/' }"
            }
            try write(
                """
                { standard_alerts: \(standardAlerts),
                  alerts: [{ name: "disconnected", severity: "P0", instrument: "market_data_connected", compare: "<", threshold: 1,
                             summary: "no market data", runbook: "http://wiki/disconnected" }],
                  alertmanagers: [\(list.joined(separator: ", "))] }
                """, to: path)
            return try Daemon(rings, ["--config", path, "--state-dir", "\(files.path)/state"])
        }

        private func alerts(_ peer: Peer, _ name: String = "disconnected") throws -> [Alert] {
            let answer = try peer.get("/api/v2/alerts?filter=alertname%3D\(name)")
            return try JSONDecoder().decode([Alert].self, from: Data(answer.body))
        }

        /// Returns the bots whose alert is active there.
        private func active(_ peer: Peer, _ name: String = "disconnected") throws -> Set<String> {
            Set(try alerts(peer, name).filter { $0.status.state == "active" }.compactMap { $0.labels["bot"] })
        }

        private func disconnected(_ name: String) throws -> Demo {
            try Demo(rings, ["--name", name, "--rate", "500", "--fault", "disconnect@0.2"])
        }

        @Test("each Alertmanager shows what fires with its labels, and nothing after its end")
        func firesAndResolves() throws {
            let peers = [try alertmanager(), try alertmanager()]
            let daemon = try collector(peers)
            let demo = try disconnected("alpha")
            for peer in peers {
                try Watchdog.wait(for: "an alert in Alertmanager") { try active(peer) == ["alpha1"] }
                let alert = try #require(try alerts(peer).first)
                #expect(alert.labels["severity"] == "P0" && alert.labels["site"] == "ld4")
                #expect(alert.annotations["summary"] == "no market data" && alert.annotations["value"] == "0.0")
                #expect(alert.annotations["runbook_url"] == "http://wiki/disconnected")
                #expect(alert.annotations["condition"]?.contains("market_data_connected < 1.0") == true)
                #expect(alert.generatorURL == "http://desk/")
                let tool = try run(["amtool", "--alertmanager.url", peer.url, "alert", "query", "site=ld4"])
                #expect(tool.exit == .code(0) && tool.output.contains("disconnected"))
            }
            #expect(try demo.process.end() == .code(0))
            for peer in peers { try Watchdog.wait(for: "its end") { try active(peer).isEmpty } }
            let sent = try daemon.metrics().samples.filter { $0.name == "ringside_export_sent_total" }
            #expect(sent.count == 2 && sent.allSatisfy { $0.value >= 2 })
            #expect(try daemon.process.end() == .code(0))
        }

        @Test("a killed bot is down there, and its firing alerts stay active until a healthy bot takes its place")
        func death() throws {
            let peer = try alertmanager()
            let daemon = try collector([peer], standardAlerts: true)
            let first = try Demo(rings, ["--name", "alpha", "--rate", "500", "--fault", "disconnect@0.2"])
            try Watchdog.wait(for: "an alert in Alertmanager") { try active(peer) == ["alpha1"] }
            #expect(try first.process.end(by: SIGKILL) == .signal(SIGKILL))
            try Watchdog.wait(for: "the death") { try active(peer, "bot_down") == ["alpha1"] }
            // Alertmanager itself ends an alert that is not sent again.
            let look = monotonicNanoseconds() + 8_000_000_000
            try Watchdog.wait(for: "eight rounds") { monotonicNanoseconds() > look }
            #expect(try active(peer) == ["alpha1"] && active(peer, "bot_down") == ["alpha1"])
            let second = try Demo(rings, ["--name", "alpha", "--rate", "500"])
            try Watchdog.wait(for: "both ends", limitSeconds: 90) {
                try active(peer).isEmpty && active(peer, "bot_down").isEmpty
            }
            #expect(try second.process.end() == .code(0))
            #expect(try daemon.process.end() == .code(0))
        }

        @Test(
            "alerts that begin and end while Alertmanager is away reach it when it is back, and its neighbour at once")
        func away() throws {
            let (away, here) = (try alertmanager(), try alertmanager())
            let daemon = try collector([away, here])
            let first = try disconnected("first")
            for peer in [away, here] {
                try Watchdog.wait(for: "an alert in Alertmanager") { try active(peer) == ["first1"] }
            }
            try away.stop()
            #expect(try first.process.end() == .code(0))
            let second = try disconnected("second")
            try Watchdog.wait(for: "the neighbour's news") { try active(here) == ["second1"] }
            try Watchdog.wait(for: "a lane that is not well") {
                try daemon.get("/health").text.contains("\"ok\":false")
            }
            try away.start()
            try Watchdog.wait(for: "all that was missed") { try active(away) == ["second1"] }
            try Watchdog.wait(for: "an empty queue") {
                try daemon.metrics().samples.filter { $0.name == "ringside_export_queue_entries" }
                    .allSatisfy { $0.value <= 1 }
            }
            let samples = try daemon.metrics().samples
            let failed = samples.filter {
                $0.name == "ringside_export_failed_total" && $0.labels["reason"] == "transport"
            }
            #expect(failed.contains { $0.value > 0 } && failed.contains { $0.value == 0 })
            #expect(!samples.contains { $0.name == "ringside_export_dropped_total" && $0.value > 0 })
            #expect(try second.process.end() == .code(0))
            #expect(try daemon.process.end() == .code(0))
        }
    }
}
