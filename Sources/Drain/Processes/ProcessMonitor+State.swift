package import Series

/// The statistics of the processes of one bot in a checkpoint. A restarted collector cannot read processes and threads
/// that ended before it started.
package struct BotProcessState: Equatable, Sendable {
    package var bot: String
    /// The processes that it has, or had lately.
    package var processes: [Process]
    /// The totals of all processes before them; nil if there were none.
    package var earlier: BotProcessSnapshot.Totals?

    /// One process, by its id and its start, in clock ticks since the system's start.
    package struct Process: Equatable, Sendable {
        package var pid: Int32
        package var startTicks: UInt64
        package var totals: BotProcessSnapshot.Totals

        package init(pid: Int32, startTicks: UInt64, totals: BotProcessSnapshot.Totals) {
            self.pid = pid
            self.startTicks = startTicks
            self.totals = totals
        }
    }

    package init(bot: String, processes: [Process], earlier: BotProcessSnapshot.Totals?) {
        self.bot = bot
        self.processes = processes
        self.earlier = earlier
    }
}

extension ProcessMonitor {
    /// Returns the states of all bots for a checkpoint.
    ///
    /// From the first call on, ``snapshot(of:)`` shows the totals of the call before the last. A checkpoint is made
    /// when the previous one is written, so that nothing is shown that a restart would not find again.
    mutating func takeStates() -> [BotProcessState] {
        let states = accounts.map { bot, account in
            BotProcessState(
                bot: bot,
                processes: (account.recent
                    + account.current.compactMap { key in entries[key]?.totals.map { (key, $0) } })
                    .map { BotProcessState.Process(pid: $0.pid, startTicks: $0.startTicks, totals: $1) }
                    .sorted { ($0.startTicks, $0.pid) < ($1.startTicks, $1.pid) },
                earlier: account.earlier)
        }
        let last = taken ?? [:]
        taken = Dictionary(uniqueKeysWithValues: states.map { ($0.bot, $0.totals) })
        shown = last.isEmpty ? taken : last
        return states
    }

    /// Restores the state of an earlier collector. Must be called before the first look.
    ///
    /// - Parameter isSameBoot: Whether the machine has not rebooted. After a reboot, the ids are those of other
    ///   processes.
    mutating func restore(_ states: [BotProcessState], isSameBoot: Bool) {
        settled = nil
        for state in states {
            var account = Account()
            account.earlier = isSameBoot ? state.earlier : state.totals
            if isSameBoot {
                account.recent = state.processes.map { (ProcessKey(pid: $0.pid, startTicks: $0.startTicks), $0.totals) }
            }
            accounts[state.bot] = account
        }
    }
}

extension BotProcessState {
    /// The totals of all its processes.
    fileprivate var totals: BotProcessSnapshot.Totals? {
        processes.reduce(earlier) { ($0 ?? BotProcessSnapshot.Totals()) + $1.totals }
    }
}
