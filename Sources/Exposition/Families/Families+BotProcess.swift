import Series

/// The system's statistics of the bots' processes. The names follow those of Prometheus for a process.
extension FamilyBuilder {
    mutating func addBotProcesses(_ bots: [BotSnapshot]) {
        let looked = bots.compactMap { bot in bot.process.map { ($0, [Label("bot", bot.name)]) } }
        addTotals(looked.compactMap { process, labels in process.totals.map { ($0, labels) } })
        // A bot that is down has no memory. The memory of a process that cannot be read is unknown.
        let running = looked.filter { $0.0.processes > 0 }
        addAll(
            "ringside_bot_processes", .gauge,
            "Processes that hold the bot's rings and could be looked at; each is counted with every bot that it holds.",
            looked.map { (.unsigned(UInt64($0.processes)), $1) })
        addAll(
            "ringside_bot_resident_memory_bytes", .gauge, "Resident memory of the bot's processes.",
            running.map { (.unsigned($0.residentBytes), $1) }, unit: .bytes)
        addAll(
            "ringside_bot_threads", .gauge, "Threads of the bot's processes.",
            running.map { (.unsigned($0.threads), $1) })
        addAll(
            "ringside_bot_unreadable_processes", .gauge,
            "Processes of the bot that cannot be looked at, and why.",
            looked.flatMap { process, labels in
                BotProcessSnapshot.Obstacle.allCases.compactMap { obstacle in
                    process.obstacles[obstacle].map {
                        (.unsigned(UInt64($0)), labels + [Label("reason", obstacle.rawValue)])
                    }
                }
            })
    }

    private mutating func addTotals(_ bots: [(totals: BotProcessSnapshot.Totals, labels: [Label])]) {
        func kinds(
            _ name: String, _ kinds: [(String, KeyPath<BotProcessSnapshot.Totals, UInt64>)]
        ) -> [Sample] {
            bots.flatMap { totals, labels in
                kinds.map { (.unsigned(totals[keyPath: $0.1]), labels + [Label(name, $0.0)]) }
            }
        }
        addAll(
            "ringside_bot_cpu_seconds_total", .counter,
            "User and system CPU time of the bot's processes, each from its own start.",
            bots.map { (.real($0.totals.cpuSeconds), $0.labels) }, unit: .seconds)
        addAll(
            "ringside_bot_page_faults_total", .counter,
            "Page faults of the bot's processes; major ones waited for a disk.",
            kinds("kind", [("minor", \.minorFaults), ("major", \.majorFaults)]))
        addAll(
            "ringside_bot_context_switches_total", .counter,
            "Context switches of the bot's threads: voluntary ones waited, involuntary ones were pushed aside.",
            kinds("kind", [("voluntary", \.voluntarySwitches), ("involuntary", \.involuntarySwitches)]))
    }
}
