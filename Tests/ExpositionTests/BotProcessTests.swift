import Series
import Testing

@testable import Exposition

@Suite("The bots' processes in the exposition") struct BotProcessTests {
    private func process(readable: Bool) -> BotProcessSnapshot {
        var process = BotProcessSnapshot()
        var totals = BotProcessSnapshot.Totals()
        totals.cpuSeconds = 1.25
        (totals.minorFaults, totals.majorFaults) = (30, 4)
        (totals.voluntarySwitches, totals.involuntarySwitches) = (7, 2)
        process.totals = totals
        process.processes = readable ? 1 : 0
        process.residentBytes = readable ? 4096 : 0
        process.threads = readable ? 3 : 0
        process.obstacles = readable ? [:] : [.pidNamespace: 2]
        return process
    }

    private func parse(_ bot: BotSnapshot) throws -> ParsedExposition {
        try ParsedExposition(PrometheusText.render(Families(snapshot([bot]), process: nil)))
    }

    @Test("a running bot has its totals by kind, its memory and its threads")
    func running() throws {
        var bot = bot("a", [])
        bot.process = process(readable: true)
        let parsed = try parse(bot)
        #expect(parsed.type("ringside_bot_cpu_seconds_total") == "counter")
        #expect(parsed.value("ringside_bot_cpu_seconds_total", ["bot": "a"]) == "1.25")
        #expect(parsed.value("ringside_bot_page_faults_total", ["bot": "a", "kind": "major"]) == "4")
        #expect(parsed.value("ringside_bot_page_faults_total", ["bot": "a", "kind": "minor"]) == "30")
        #expect(parsed.value("ringside_bot_context_switches_total", ["bot": "a", "kind": "voluntary"]) == "7")
        #expect(parsed.value("ringside_bot_context_switches_total", ["bot": "a", "kind": "involuntary"]) == "2")
        #expect(parsed.value("ringside_bot_resident_memory_bytes", ["bot": "a"]) == "4096")
        #expect(parsed.value("ringside_bot_threads", ["bot": "a"]) == "3")
        #expect(parsed.value("ringside_bot_processes", ["bot": "a"]) == "1")
        #expect(parsed.value("ringside_bot_unreadable_processes", ["bot": "a", "reason": "gone"]) == nil)
    }

    @Test("a bot that cannot be looked at keeps its totals, has no memory figure, and says why")
    func unreadable() throws {
        var bot = bot("a", [])
        bot.process = process(readable: false)
        let parsed = try parse(bot)
        #expect(parsed.value("ringside_bot_cpu_seconds_total", ["bot": "a"]) == "1.25")
        #expect(parsed.value("ringside_bot_resident_memory_bytes", ["bot": "a"]) == nil)
        #expect(parsed.value("ringside_bot_processes", ["bot": "a"]) == "0")
        #expect(parsed.value("ringside_bot_unreadable_processes", ["bot": "a", "reason": "pid_namespace"]) == "2")
    }
}
