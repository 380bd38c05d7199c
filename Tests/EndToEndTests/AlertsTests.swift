import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("Alerts, listed, resolved and silenced by an operator") struct AlertsTests {
        private let rings = TemporaryRingDirectory()
        private let files = TemporaryRingDirectory(under: "/tmp")

        private struct News: Decodable, Equatable {
            let alert, status, reason: String
        }

        private struct Listing: Decodable {
            let alerts: [Alert]
            let silences: [Silence]

            struct Alert: Decodable {
                let id, state, condition: String
                let value: Double?
                let silenced: Bool
                let silenced_until: Double?
            }

            struct Silence: Decodable {
                let id: Int
                let alert, bot, reason: String
                let since, until: Double
            }
        }

        private func configure(webhook: HTTPReceiver, alertmanager: HTTPReceiver) throws {
            try write(
                """
                { standard_alerts: false, standard_objectives: false,
                  alerts: [
                    { name: "disconnected", severity: "P0", instrument: "market_data_connected", compare: "<", threshold: 1 },
                    { name: "no_data", severity: "P1", instrument: "market_data_connected", compare: "<", threshold: 1 },
                  ],
                  webhooks: [{ url: "\(webhook.url)/hook" }],
                  alertmanagers: [{ url: "\(alertmanager.url)", interval: "1s" }] }
                """, to: "\(files.path)/ringside.json5")
        }

        private func start() throws -> Daemon {
            try Daemon(rings, ["--config", "\(files.path)/ringside.json5", "--state-dir", "\(files.path)/state"])
        }

        private func news(_ receiver: HTTPReceiver) throws -> [News] {
            try receiver.taken.map { try JSONDecoder().decode(News.self, from: Data($0.body)) }
        }

        private func tool(_ daemon: Daemon, _ words: String...) throws -> (status: ChildProcess.Exit, said: String) {
            let command = [ChildProcess.builtProgram("ringside"), "alerts"]
            let answer = try run(command + ["--collector", "http://127.0.0.1:\(daemon.port)"] + words)
            return (answer.exit, answer.output + answer.errors.joined(separator: "\n"))
        }

        private func listing(_ daemon: Daemon) throws -> Listing {
            let answer = try tool(daemon, "--format", "json")
            return try JSONDecoder().decode(Listing.self, from: Data(answer.said.utf8))
        }

        /// Returns whether Alertmanager was notified of an alert, ended ones included.
        private func isKnown(_ alert: String, to receiver: HTTPReceiver) -> Bool {
            receiver.requests.contains { $0.text.contains("\"alertname\":\"\(alert)\"") }
        }

        private let firing = ["disconnected", "no_data"].map { News(alert: $0, status: "firing", reason: "") }

        @Test("firing alerts are listed, and an operator who resolves one ends it for everyone notified")
        func resolved() throws {
            let (webhook, alertmanager) = (try HTTPReceiver(), try HTTPReceiver())
            try configure(webhook: webhook, alertmanager: alertmanager)
            let daemon = try start()
            #expect(try tool(daemon) == (.code(0), "no alert fires or waits\n"))
            let demo = try Demo(rings, ["--rate", "500", "--fault", "disconnect@0.2"])
            try Watchdog.wait(for: "word of both") { try news(webhook).count == 2 }
            #expect(try news(webhook).sorted { $0.alert < $1.alert } == firing)
            let (status, table) = try tool(daemon)
            let lines = table.split(separator: "\n")
            #expect(status == .code(0) && lines.count == 3 && lines[0].hasPrefix("ID "), "\(table)")
            let words = lines[1].split(separator: " ")
            #expect(words.prefix(3) == ["disconnected/demo1", "P0", "fires"] && words.contains("0"), "\(table)")
            #expect(lines[1].hasSuffix("market_data_connected < 1.0 {venue=simulated}"), "\(table)")
            let misspelt = try tool(daemon, "--resolve", "disconected/demo1")
            #expect(misspelt.status == .code(1) && misspelt.said.contains("status 404"))
            #expect(misspelt.said.contains("did you mean disconnected/demo1?"), "\(misspelt.said)")
            let done = try tool(daemon, "--resolve", "disconnected/demo1")
            #expect(done.status == .code(0) && done.said.contains("disconnected/demo1 is resolved"), "\(done.said)")
            try Watchdog.wait(for: "word of the end") { try news(webhook).count == 3 }
            let end = News(alert: "disconnected", status: "resolved", reason: "an operator resolved it")
            #expect(try news(webhook).last == end)
            #expect(try listing(daemon).alerts.map(\.id) == ["no_data/demo1"])
            let again = try tool(daemon, "--resolve", "disconnected/demo1")
            #expect(again.status == .code(1) && again.said.contains("status 409") && again.said.contains("inactive"))
            #expect(try demo.process.end() == .code(0))
            try Watchdog.wait(for: "the other's end") { try news(webhook).count == 4 }
            #expect(try daemon.process.end() == .code(0))
        }

        @Test(
            "nobody is notified of a silenced alert over restarts, only when its silence ends; no page stays open in a silence"
        )
        func silenced() throws {
            let (webhook, alertmanager) = (try HTTPReceiver(), try HTTPReceiver())
            try configure(webhook: webhook, alertmanager: alertmanager)
            var daemon = try start()
            let begun = try tool(daemon, "--silence", "disc*/demo?", "--for", "2h", "--reason", "new gateway")
            #expect(begun.status == .code(0) && begun.said.contains("Silence 1 of disc*/demo? holds until"), "\(begun)")
            // The next kill comes right after the operator got the answer.
            #expect(try daemon.process.end(by: SIGKILL) == .signal(SIGKILL))
            daemon = try start()
            let demo = try Demo(rings, ["--rate", "500", "--fault", "disconnect@0.2"])
            // Both alerts begin in one evaluation. So a receiver that knows the other one would also know the silenced
            // one.
            try Watchdog.wait(
                for: """
                    word of the other; the webhook has \(webhook.requests.map(\.text)), Alertmanager has
                    \(alertmanager.requests.map(\.text)), and the collector said \(daemon.log)
                    """
            ) {
                try news(webhook) == [firing[1]] && isKnown("no_data", to: alertmanager)
            }
            let view = try listing(daemon)
            let alert = try #require(view.alerts.first { $0.id == "disconnected/demo1" })
            let silence = try #require(view.silences.first)
            #expect(alert.state == "firing" && alert.silenced && view.alerts.filter(\.silenced).count == 1)
            #expect(view.silences.count == 1 && silence.reason == "new gateway" && silence.bot == "demo?")
            #expect((7100...7200.5).contains(silence.until - silence.since), "\(silence)")
            let table = try tool(daemon).said
            #expect(table.contains("SILENCED UNTIL") && table.contains("new gateway"), "\(table)")
            let samples = try daemon.metrics().samples.filter { $0.name == "ringside_alert_silenced" }
            #expect(samples.map { $0.labels["alert"] } == ["disconnected"] && samples.map(\.value) == [1])
            for signal in [SIGTERM, SIGKILL] {
                _ = try daemon.process.end(by: signal)
                daemon = try start()
                try Watchdog.wait(for: "an alert that is silenced") {
                    try listing(daemon).alerts.contains { $0.id == "disconnected/demo1" && $0.silenced }
                }
            }
            let look = monotonicNanoseconds() + 2_500_000_000
            try Watchdog.wait(for: "two looks at the alert") { monotonicNanoseconds() > look }
            #expect(try news(webhook) == [firing[1]] && !isKnown("disconnected", to: alertmanager))
            #expect(try listing(daemon).silences.map(\.until).allSatisfy { abs($0 - silence.until) < 1 })
            let unknown = try tool(daemon, "--unsilence", "7")
            #expect(unknown.status == .code(1) && unknown.said.contains("the silences are 1"), "\(unknown.said)")
            #expect(try tool(daemon, "--unsilence", "1").status == .code(0))
            try Watchdog.wait(for: "word of what was silenced") {
                try news(webhook) == [firing[1], firing[0]] && isKnown("disconnected", to: alertmanager)
            }
            #expect(try tool(daemon, "--silence", "*", "--for", "1h").status == .code(0))
            try Watchdog.wait(for: "a silence") { try listing(daemon).alerts.allSatisfy(\.silenced) }
            #expect(try demo.process.end() == .code(0))
            try Watchdog.wait(for: "word of both ends") {
                try news(webhook).filter { $0.status == "resolved" }.count == 2
            }
            #expect(try daemon.process.end() == .code(0))
        }

        private struct Past: Decodable {
            let alerts: [Alert]
            let left_out: Int

            struct Alert: Decodable {
                let id, severity, condition, reason: String
                let value, ended: Double?
                let began: Double
            }
        }

        private func past(_ daemon: Daemon, _ more: String = "") throws -> [Past.Alert] {
            try JSONDecoder().decode(Past.self, from: Data(daemon.get("/stats/history?alerts\(more)").body)).alerts
        }

        @Test("the history has each alert once from its beginning to its end, at once and over kills")
        func remembered() throws {
            let (webhook, alertmanager) = (try HTTPReceiver(), try HTTPReceiver())
            try configure(webhook: webhook, alertmanager: alertmanager)
            var daemon = try start()
            let unopened = try tool(daemon, "--history")
            #expect(unopened.status == .code(0) && unopened.said == "no alert fired\n", "\(unopened.said)")
            let demo = try Demo(rings, ["--rate", "500", "--fault", "disconnect@0.2"])
            try Watchdog.wait(for: "alerts in the open minute") { try past(daemon).count == 2 }
            let begun = try past(daemon, "=disconnected")
            #expect(begun.map(\.id) == ["disconnected/demo1"] && begun[0].value == 0 && begun[0].ended == nil)
            #expect(begun[0].severity == "P0" && begun[0].condition.contains("market_data_connected < 1"))
            let saved = monotonicNanoseconds() + 1_200_000_000
            try Watchdog.wait(for: "a checkpoint") { monotonicNanoseconds() > saved }
            #expect(try daemon.process.end(by: SIGKILL) == .signal(SIGKILL))
            daemon = try start()
            // The open minute was lost with the collector, but not the fact that the alert fires.
            try Watchdog.wait(for: "the alert") { try past(daemon, "=disconnected").map(\.began) == begun.map(\.began) }
            #expect(try tool(daemon, "--resolve", "disconnected/demo1").status == .code(0))
            try Watchdog.wait(for: "its end") {
                try past(daemon, "=disconnected").map(\.reason) == ["an operator resolved it"]
            }
            let end = try #require(try past(daemon, "=disconnected").first?.ended)
            #expect(end > begun[0].began)
            // An orderly end writes the open minute.
            #expect(try daemon.process.end() == .code(0))
            daemon = try start()
            let kept = try past(daemon)
            #expect(kept.count == 2 && kept.contains { $0.id == "disconnected/demo1" && $0.ended == end })
            #expect(try demo.process.end() == .code(0))
            try Watchdog.wait(for: "the other's end") { try past(daemon).allSatisfy { $0.ended != nil } }
            let table = try tool(daemon, "--history", "--from", "-1h").said
            let lines = table.split(separator: "\n")
            #expect(lines.count == 3 && lines[0].hasPrefix("BEGAN "), "\(table)")
            #expect(
                lines.contains { $0.contains("disconnected/demo1  P0 ") && $0.hasSuffix("an operator resolved it") })
            #expect(
                lines.contains { $0.contains("no_data/demo1") && $0.hasSuffix("the bot closed its ring") }, "\(table)")
            #expect(try tool(daemon, "--history", "--to", "-1h").said == "no alert fired\n")
            let wrong = try tool(daemon, "--history", "--from", "soon")
            #expect(wrong.status == .code(1) && wrong.said.contains("from is 'soon': expected Unix seconds"))
            #expect(try daemon.process.end() == .code(0))
        }

        @Test(
            "options that do not go together are refused before the collector is asked",
            arguments: [
                (["--for", "2h"], "--for and --reason belong to --silence"),
                (["--silence", "a"], "--for is missing"),
                (["--from", "-1h"], "--from and --to belong to --history"),
                (["--history", "--unsilence", "3"], "--unsilence and --history exclude each other"),
                (["--silence", "a", "--for", "1h", "--resolve", "a/b"], "--resolve and --silence exclude each other"),
            ])
        func refused(words: [String], said: String) throws {
            let command = [ChildProcess.builtProgram("ringside"), "alerts", "--collector", "http://127.0.0.1:1"]
            let answer = try run(command + words)
            #expect(answer.exit == .code(1) && answer.errors.joined().contains(said), "\(answer.errors)")
        }
    }
}
