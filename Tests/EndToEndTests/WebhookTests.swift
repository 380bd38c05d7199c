import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("Webhooks, notified by the collector") struct WebhookTests {
        private let rings = TemporaryRingDirectory()
        private let files = TemporaryRingDirectory(under: "/tmp")

        private struct News: Decodable, Equatable {
            let what: String
            let bot: String
            let status: String
            let value: Double?
        }

        private func configure(_ receivers: [HTTPReceiver], wait: String = "0s") throws {
            let hooks = receivers.map {
                """
                { name: 'desk \($0.port)', url: '\($0.url)/hook', severities: 'P*', retry_max: '300ms', timeout: '2s',
                  bearer_token_file: '\(files.path)/token',
                  body: '{"what": "{{alert}} \\\\"{{severity}}\\\\"", "bot": "{{bot}}", "status": "{{ status }}", "value": {{value}}}' }
                """
            }
            try write("s3cret\n", to: "\(files.path)/token")
            try write(
                """
                { standard_alerts: false,
                  alerts: [
                    { name: "disconnected", severity: "P0", instrument: "market_data_connected", compare: "<", threshold: 1, for: "\(wait)" },
                    { name: "quiet", severity: "info", instrument: "market_data_connected", compare: "<", threshold: 1 },
                  ],
                  webhooks: [\(hooks.joined(separator: ", "))] }
                """, to: "\(files.path)/ringside.json5")
        }

        private func start() throws -> Daemon {
            try Daemon(rings, ["--config", "\(files.path)/ringside.json5", "--state-dir", "\(files.path)/state"])
        }

        /// Returns the accepted notifications, each once. Of two requests with one idempotency key a receiver accepts
        /// the first. A second one comes if the collector was killed before it got the answer to the first.
        private func news(_ receiver: HTTPReceiver) throws -> [News] {
            var keys: Set<String> = []
            return try receiver.taken.filter { keys.insert($0.headers["idempotency-key"] ?? "").inserted }.map {
                try JSONDecoder().decode(News.self, from: Data($0.body))
            }
        }

        private let firing = News(what: "disconnected \"P0\"", bot: "demo1", status: "firing", value: 0)

        @Test(
            "a receiver takes one beginning and one end, in spite of 503s, hang-ups and a collector that is killed again and again"
        )
        func once() throws {
            // Two of three requests are not accepted.
            let refusing: @Sendable (Int, HTTPReceiver.Request) -> HTTPReceiver.Answer = { number, _ in
                switch number % 3 {
                case 0: .status(503)
                case 1: .hangUp
                default: .status(204)
                }
            }
            let receiver = try HTTPReceiver(answer: refusing)
            let gone = try HTTPReceiver { _, _ in .silence }
            try configure([receiver, gone])
            var daemon = try start()
            let demo = try Demo(rings, ["--rate", "500", "--fault", "disconnect@0.2"])
            try Watchdog.wait(for: "word of the beginning") { try news(receiver) == [firing] }
            for _ in 1...3 {
                #expect(try daemon.process.end(by: SIGKILL) == .signal(SIGKILL))
                daemon = try start()
                try daemon.latest(when: "the bot") { $0.bot("demo1")?.up == true }
                let look = monotonicNanoseconds() + 1_500_000_000
                try Watchdog.wait(for: "two looks at the alert") { monotonicNanoseconds() > look }
            }
            #expect(try news(receiver) == [firing])
            receiver.answer { _, _ in .status(503) }
            #expect(try demo.process.end() == .code(0))
            try Watchdog.wait(for: "an end that is not taken") {
                receiver.requests.last?.text.contains("resolved") == true
            }
            #expect(try daemon.process.end(by: SIGKILL) == .signal(SIGKILL))
            receiver.answer(refusing)
            daemon = try start()
            try Watchdog.wait(for: "word of the end") { try news(receiver).count == 2 }
            #expect(try news(receiver).last.map { [$0.status, $0.bot] } == ["resolved", "demo1"])
            #expect(
                receiver.requests.allSatisfy { $0.headers["authorization"] == "Bearer s3cret" && $0.path == "/hook" })
            let ids = Set(receiver.requests.compactMap { $0.headers["idempotency-key"] })
            #expect(ids.count == 2)
            #expect(!daemon.process.standardError.contains("s3cret"))
            // Requests in flight to the receiver that never answers are cancelled.
            #expect(try daemon.process.end() == .code(0))
            #expect(try news(receiver).count == 2)
        }

        @Test("the wait of an alert goes on over a restart, and a beginning that was missed is notified")
        func waits() throws {
            let receiver = try HTTPReceiver()
            try configure([receiver], wait: "6s")
            var daemon = try start()
            let demo = try Demo(rings, ["--rate", "500", "--fault", "disconnect@0.2"])
            struct Rules: Decodable {
                let alerts: [Alert]
                struct Alert: Decodable {
                    let alert: String
                    let state: String
                    let since: Double
                }
            }
            func pending() throws -> Rules.Alert? {
                try JSONDecoder().decode(Rules.self, from: Data(daemon.get("/latest").body)).alerts
                    .first { $0.alert == "disconnected" }
            }
            try Watchdog.wait(for: "an alert that waits") { try pending()?.state == "pending" }
            let since = try #require(try pending()).since
            let saved = monotonicNanoseconds() + 1_200_000_000
            try Watchdog.wait(for: "a checkpoint") { monotonicNanoseconds() > saved }
            #expect(try daemon.process.end(by: SIGKILL) == .signal(SIGKILL))
            daemon = try start()
            let again = try #require(try pending())
            #expect(again.state == "pending" && again.since == since)
            try Watchdog.wait(for: "word of the beginning") { try news(receiver) == [firing] }
            #expect(try demo.process.end() == .code(0))
            try Watchdog.wait(for: "word of the end") { try news(receiver).count == 2 }
            #expect(try daemon.process.end() == .code(0))
        }
    }
}
