import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The collector's figures of a bot's process") struct BotProcesses {
        private let rings = TemporaryRingDirectory()

        @Test("two bots of one process show its threads, memory and CPU time; when it is killed the totals alone stay")
        func process() throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(rings, ["--bots", "2", "--rate", "20000", "--linger", "600"])
            let first = try scrape(daemon, "the bots' CPU time") { $0.value(cpu, ["bot": "demo1"]) ?? 0 > 0 }
            for bot in ["demo1", "demo2"] {
                #expect(first.value("ringside_bot_processes", ["bot": bot]) == 1)
                // There is the main thread, and for each bot one thread of its own and one of its venue.
                #expect(first.value("ringside_bot_threads", ["bot": bot]) ?? 0 >= 5)
                #expect(first.value("ringside_bot_resident_memory_bytes", ["bot": bot]) ?? 0 > 4_000_000)
                #expect(first.value("ringside_bot_page_faults_total", ["bot": bot, "kind": "minor"]) ?? 0 > 1_000)
                let voluntary = ["bot": bot, "kind": "voluntary"]
                #expect(first.value("ringside_bot_context_switches_total", voluntary) ?? 0 > 0)
                #expect(!first.contains { $0.name == "ringside_bot_unreadable_processes" })
            }
            let later = try scrape(daemon, "CPU time that grows") {
                $0.value(cpu, ["bot": "demo1"]) ?? 0 > first.value(cpu, ["bot": "demo1"]) ?? .infinity
            }
            #expect(try demo.process.end(by: SIGKILL) == .signal(SIGKILL))
            let dead = try scrape(daemon, "a bot without a process") {
                $0.value("ringside_bot_processes", ["bot": "demo1"]) == 0
            }
            #expect(dead.value(cpu, ["bot": "demo1"]) ?? 0 >= later.value(cpu, ["bot": "demo1"]) ?? .infinity)
            #expect(dead.value("ringside_bot_resident_memory_bytes", ["bot": "demo1"]) == nil)
            #expect(dead.value("ringside_bot_threads", ["bot": "demo1"]) == nil)
        }

        private let cpu = "ringside_bot_cpu_seconds_total"

        private func scrape(
            _ daemon: Daemon, _ what: String, when isWanted: ([Exposition.Sample]) -> Bool
        ) throws -> [Exposition.Sample] {
            var samples: [Exposition.Sample] = []
            try Watchdog.wait(for: what) {
                samples = try daemon.metrics().samples
                return isWanted(samples)
            }
            return samples
        }
    }
}
