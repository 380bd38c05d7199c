import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("Bots that die, hang and end cleanly, as a webhook is notified of them") struct DeathTests {
        private let rings = TemporaryRingDirectory()
        private let files = TemporaryRingDirectory(under: "/tmp")

        private struct News: Decodable {
            let alert, bot, status, description, reason: String
        }

        private func write(_ text: String, to path: String) throws {
            try Data(text.utf8).write(to: URL(filePath: path))
        }

        private func start(_ receiver: HTTPReceiver, severities: String = "'P0', 'P1'") throws -> Daemon {
            try write(
                """
                { webhooks: [{ name: "hook", url: "\(receiver.url)/hook", severities: [\(severities)] }] }
                """, to: "\(files.path)/ringside.json5")
            return try Daemon(
                rings, ["--config", "\(files.path)/ringside.json5", "--state-dir", "\(files.path)/state"])
        }

        private func news(_ receiver: HTTPReceiver, of bot: String) throws -> [News] {
            try receiver.taken.map { try JSONDecoder().decode(News.self, from: Data($0.body)) }.filter { $0.bot == bot }
        }

        private func wait(_ what: String, _ receiver: HTTPReceiver, _ condition: ([News]) -> Bool) throws {
            try Watchdog.wait(for: what) { condition(try news(receiver, of: "demo1")) }
        }

        @Test(
            "a killed bot is down; its alerts stand, over a restart of the collector, until it is back")
        func killed() throws {
            let receiver = try HTTPReceiver { _, _ in .status(204) }
            var daemon = try start(receiver)
            let first = try Demo(rings, ["--rate", "500", "--fault", "kill-switch@0", "--fault", "loss-limit@0"])
            try wait("the loss limit", receiver) { $0.contains { $0.alert == "daily_loss_above_limit" } }
            #expect(try first.process.end(by: SIGKILL) == .signal(SIGKILL))
            try wait("word of the death", receiver) { $0.contains { $0.alert == "bot_down" } }
            let death = try #require(news(receiver, of: "demo1").first { $0.alert == "bot_down" })
            #expect(death.description.contains("daily_loss_above_limit"), "\(death.description)")
            #expect(try daemon.process.end() == .code(0))
            daemon = try start(receiver)
            let look = monotonicNanoseconds() + 3_000_000_000
            try Watchdog.wait(for: "three looks") { monotonicNanoseconds() > look }
            #expect(try news(receiver, of: "demo1").allSatisfy { $0.status == "firing" })
            #expect(try news(receiver, of: "demo1").filter { $0.alert == "bot_down" }.count == 1)
            // The bot is back and well. Its gauges are set again, and all alerts end once the calm has lasted.
            let second = try Demo(rings, ["--rate", "500"])
            try Watchdog.wait(for: "the ends", limitSeconds: 90) {
                let ended = Set(try news(receiver, of: "demo1").filter { $0.status == "resolved" }.map(\.alert))
                return ended.isSuperset(of: ["bot_down", "daily_loss_above_limit"])
            }
            let ends = try news(receiver, of: "demo1").filter { $0.status == "resolved" }
            #expect(ends.allSatisfy { $0.reason == "the condition no longer holds" }, "\(ends)")
            #expect(try second.process.end() == .code(0))
            #expect(try daemon.process.end() == .code(0))
        }

        @Test("a bot that is stopped hangs, and goes on as if nothing had been; one that ends cleanly is no news")
        func stopped() throws {
            let receiver = try HTTPReceiver { _, _ in .status(204) }
            let daemon = try start(receiver)
            let demo = try Demo(rings, ["--rate", "500", "--pause-meter"])
            try daemon.latest(when: "both lanes") { $0.bot("demo1")?.rings.count == 2 }
            let look = monotonicNanoseconds() + 3_000_000_000
            try Watchdog.wait(for: "some beats") { monotonicNanoseconds() > look }
            demo.process.send(SIGSTOP)
            let begun = monotonicNanoseconds()
            try wait("word of it", receiver) { $0.contains { $0.alert == "bot_hung" } }
            #expect(monotonicNanoseconds() - begun > 2_000_000_000)
            demo.process.send(SIGCONT)
            try Watchdog.wait(for: "its end", limitSeconds: 90) {
                try news(receiver, of: "demo1").contains { $0.alert == "bot_hung" && $0.status == "resolved" }
            }
            #expect(try demo.process.end() == .code(0))
            let last = monotonicNanoseconds() + 3_000_000_000
            try Watchdog.wait(for: "three looks") { monotonicNanoseconds() > last }
            #expect(try Set(news(receiver, of: "demo1").map(\.alert)) == ["bot_hung"])
            #expect(try daemon.process.end() == .code(0))
        }

        @Test("a bot whose thread waits for a lock for ever hangs, though its process lives, and no alert ends")
        func deadlocked() throws {
            let receiver = try HTTPReceiver { _, _ in .status(204) }
            let daemon = try start(receiver, severities: "'*'")
            // The usual pace of a lane is known after half a minute.
            let demo = try Demo(
                rings, ["--rate", "500", "--pause-meter", "--fault", "loss-limit@0.2", "--fault", "deadlock@34"])
            try Watchdog.wait(for: "word of it", limitSeconds: 90) {
                try news(receiver, of: "demo1").contains { $0.alert == "bot_hung" }
            }
            let look = monotonicNanoseconds() + 3_000_000_000
            try Watchdog.wait(for: "three looks") { monotonicNanoseconds() > look }
            let all = try news(receiver, of: "demo1")
            #expect(all.allSatisfy { $0.status == "firing" }, "\(all)")
            #expect(Set(all.map(\.alert)).isSuperset(of: ["bot_hung", "daily_loss_above_limit"]), "\(all)")
            #expect(try demo.process.end() == .code(0))
            #expect(try daemon.process.end() == .code(0))
        }
    }
}
