import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd {
    /// Tests the schedule of tools/demo, with shorter times, and the collector's configuration in it.
    @Suite("The demo's trouble, as the collector sees it") struct DemoTrouble {
        private let rings = TemporaryRingDirectory()
        private let files = TemporaryRingDirectory(under: "/tmp")

        private struct Answer: Decodable {
            let alerts: [Alert]

            struct Alert: Decodable {
                let alert, bot, state: String
            }
        }

        /// Returns the configuration that tools/demo gives the collector.
        private func configuration() throws -> String {
            let tool = String(decoding: try Data(contentsOf: URL(filePath: "\(repository)/tools/demo")), as: UTF8.self)
            let text = try #require(tool.firstMatch(of: /ringside\.json5" <<'TEXT'\n([^@]*?)TEXT\n/))
            return String(text.output.1)
        }

        private func firing(_ daemon: Daemon) throws -> [String] {
            try JSONDecoder().decode(Answer.self, from: Data(daemon.get("/latest").body)).alerts
                .filter { $0.state == "firing" && $0.alert == "submit_to_ack_slow" }.map(\.bot)
        }

        @Test("the page about the demo shows the configuration that tools/demo uses")
        func page() throws {
            let page = "\(repository)/Sources/Collector/Collector.docc/Demo.md"
            let text = String(decoding: try Data(contentsOf: URL(filePath: page)), as: UTF8.self)
            #expect(text.contains("```json5\n\(try configuration())```"))
        }

        @Test(
            "each time that a venue is slow an alert of its bot fires and resolves, and a burst overruns a small ring")
        func firesAndResolves() throws {
            try Data(configuration().utf8).write(to: URL(filePath: "\(files.path)/ringside.json5"))
            let daemon = try Daemon(rings, ["--config", "\(files.path)/ringside.json5"])
            let demo = try Demo(
                rings,
                ["--bots", "3", "--rate", "1000", "--fault", "1:slow-venue@1+5/14", "--fault", "3:burst@2+0.3"],
                environment: ["RINGSIDE_CAPACITY": "16384"])
            for round in 1...2 {
                try Watchdog.wait(for: "alert \(round)") { try firing(daemon).contains("demo1") }
                #expect(try firing(daemon) == ["demo1"])
                try Watchdog.wait(for: "the end of alert \(round)") { try firing(daemon).isEmpty }
            }
            let latest = try daemon.latest()
            let lost = try ["demo1", "demo2", "demo3"].map { try #require(latest.bot($0)).rings.map(\.lostTotal) }
            #expect(lost[0] == [0] && lost[1] == [0] && lost[2] != [0], "\(lost)")
            #expect(try demo.process.end() == .code(0))
        }
    }
}
