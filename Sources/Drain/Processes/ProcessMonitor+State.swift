package import Series

/// What the processes of one bot came to, as a checkpoint keeps it: a restarted collector finds neither processes that ended
/// before it came nor the switches of threads that did.
package struct BotProcessState: Equatable, Sendable {
    package var bot: String
    /// Of those that it had lately, or has.
    package var processes: [Process]
    /// Of all before them; nil where there were none.
    package var earlier: BotProcessSnapshot.Totals?

    /// One process, by its number and when it began, in clock ticks since the system's start.
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
    /// What a checkpoint takes of all bots.
    ///
    /// From the first call on, ``snapshot(of:)`` shows the totals of the call before the last: a checkpoint is gathered when the
    /// one before is written, so that nothing was shown that a restart would not find again.
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

    /// Takes up what an earlier collector kept, before the first look.
    ///
    /// - Parameter isSameBoot: Whether the machine ran on since: else the numbers are those of other processes by now.
    mutating func restore(_ states: [BotProcessState], isSameBoot: Bool) {
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
    /// Of all its processes.
    fileprivate var totals: BotProcessSnapshot.Totals? {
        processes.reduce(earlier) { ($0 ?? BotProcessSnapshot.Totals()) + $1.totals }
    }
}
