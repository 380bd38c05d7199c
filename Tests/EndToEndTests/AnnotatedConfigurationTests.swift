import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The annotated configuration") struct AnnotatedConfigurationTests {
        private let rings = TemporaryRingDirectory()

        private struct Rules: Decodable {
            let slo: [Objective]
            let alerts: [Alert]

            struct Objective: Decodable {
                let objective: String
                let bot: String
                let state: String
                let good: UInt64
                let bad: UInt64
                let windows: [String: Window]
            }

            struct Window: Decodable {
                let good: UInt64
                let bad: UInt64
                let compliance: Double?
            }

            struct Alert: Decodable {
                let alert: String
                let severity: String
                let bot: String
                let state: String
            }
        }

        /// Writes the block of JSON5 of a page into a file, and returns its path.
        private func example(_ page: String = "Configuration") throws -> String {
            let contents = try contents("\(repository)/Sources/Collector/Collector.docc/\(page).md")
            let blocks = String(decoding: contents, as: UTF8.self).split(separator: "```json5\n").dropFirst()
            try #require(blocks.count == 1)
            let text = try #require(blocks.first?.split(separator: "\n```").first)
            let path = "\(rings.path)/example.json5"
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            try #require(file >= 0)
            defer { close(file) }
            try #require(Glibc.write(file, String(text), text.utf8.count) == text.utf8.count)
            return path
        }

        private func contents(_ path: String) throws -> [UInt8] {
            let file = open(path, O_RDONLY)
            try #require(file >= 0)
            defer { close(file) }
            let size = Int(lseek(file, 0, SEEK_END))
            return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                count = max(0, pread(file, buffer.baseAddress, size, 0))
            }
        }

        private func rules(_ daemon: Daemon) throws -> Rules {
            try JSONDecoder().decode(Rules.self, from: Data(daemon.get("/latest").body))
        }

        @Test("a bot that is killed has downtime, and one that ends cleanly has none")
        func downtime() throws {
            let daemon = try Daemon(rings)
            let killed = try Demo(rings, ["--bots", "1", "--rate", "1000"])
            try daemon.latest(when: "a bot") { $0.bot("demo1")?.up == true }
            func availability() throws -> Rules.Objective? {
                try rules(daemon).slo.first { $0.objective == "availability" && $0.bot == "demo1" }
            }
            try Watchdog.wait(for: "seconds of a bot that lives") { (try availability()?.good ?? 0) >= 2 }
            #expect(try availability()?.bad == 0)
            killed.process.send(SIGKILL)
            try Watchdog.wait(for: "seconds of a bot that is dead") { (try availability()?.bad ?? 0) >= 2 }
            let again = try Demo(rings, ["--bots", "1", "--rate", "1000"])
            try daemon.latest(when: "the bot again") { $0.bot("demo1")?.up == true }
            #expect(try again.process.end() == .code(0))
            try daemon.latest(when: "the bot's end") { $0.bot("demo1")?.up == false }
            let start = try daemon.latest().time
            let ended = try #require(try availability())
            try Watchdog.wait(for: "three seconds", limitSeconds: 60) {
                try daemon.latest().time > start + 3
            }
            let later = try #require(try availability())
            #expect(later.good == ended.good && later.bad == ended.bad)
        }

        @Test("the server's example is good where the files are there that it names, and lets in whom it says")
        func web() throws {
            let path = try example("Security")
            let made = try run([
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days",
                "2", "-subj", "/CN=x", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(rings.path)/server.key",
                "-out", "\(rings.path)/server.crt",
            ])
            try #require(made.exit == .code(0))
            try write("one-more-token-0123\n", to: "\(rings.path)/tokens")
            let check = try run([ChildProcess.builtProgram("ringsided"), "--web.config.file", path, "--check-config"])
            #expect(check.exit == .code(0) && check.errors.isEmpty)
            let daemon = try Daemon.start(rings, ["--web.config.file", path])
            var port: Substring?
            try Watchdog.wait(for: "the collector's address") {
                let line = daemon.standardError.split(separator: "\n").first { $0.contains(" msg=listening ") }
                port = line?.split(separator: " ").first { $0.hasPrefix("address=") }?.split(separator: ":").last
                return port != nil || daemon.hasEnded()
            }
            let url = "https://127.0.0.1:\(try #require(port, "\(daemon.standardError)"))/sd"
            let curl = ["curl", "--silent", "--cacert", "\(rings.path)/server.crt", "--write-out", "%{http_code}"]
            #expect(try run(curl + [url]).output.hasSuffix("401"))
            for good in [
                ["-u", "prometheus:correct horse"], ["-H", "Authorization: Bearer token-of-a-scraper-4b1c"],
                ["-H", "Authorization: Bearer one-more-token-0123"],
            ] {
                #expect(try run(curl + good + [url]).output.hasSuffix("200"))
            }
            #expect(try daemon.end() == .code(0))
        }

        @Test("the annotated example is good, and a collector that runs with it does what it says of the demo's bots")
        func runs() throws {
            let path = try example()
            let check = try run([ChildProcess.builtProgram("ringsided"), "--config", path, "--check-config"])
            #expect(check.exit == .code(0) && check.errors.isEmpty)
            let daemon = try Daemon(rings, ["--config", path])
            let demo = try Demo(rings, ["--bots", "2", "--rate", "5000", "--duration", "2", "--linger", "600"])
            _ = try demo.report()
            let latest = try daemon.latestWhenDrained()
            let counted = try #require(latest.bot("demo1")?.metric("orders_submit_to_ack_latency_seconds"))
            let rules = try rules(daemon)
            let acks = try #require(rules.slo.first { $0.objective == "submit_to_ack" && $0.bot == "demo1" })
            // The objective was there before the bot, so every value of the histogram counts for it.
            let all = latest.bot("demo1")?.metrics.filter { $0.name == counted.name }.reduce(0) { $0 + ($1.count ?? 0) }
            #expect(acks.good + acks.bad == all && acks.good > 0)
            #expect(acks.windows["30d"]?.good == acks.good && acks.windows.keys.sorted() == ["1h", "1m", "30d"])
            let shown = try #require(acks.windows["30d"]?.compliance)
            #expect(abs(shown - Double(acks.good) / Double(acks.good + acks.bad)) < 1e-12)
            let metrics = try daemon.metrics().samples
            let bad = metrics.first {
                $0.name == "ringside_slo_bad_events_total"
                    && $0.labels == ["bot": "demo1", "objective": "submit_to_ack"]
            }
            #expect(bad?.value == Double(acks.bad))
            #expect(metrics.contains { $0.name == "data_ticks_received_total" && $0.labels["desk"] == "equities" })
            #expect(metrics.contains { $0.name == "ringside_alert_active" && $0.labels["alert"] == "position_large" })
            #expect(!metrics.contains { $0.name.hasPrefix("ringside_") && $0.value.isNaN })
        }
    }
}
