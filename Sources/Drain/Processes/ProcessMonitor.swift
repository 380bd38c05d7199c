internal import CRingside
internal import Platform
internal import Series

/// Reads the statistics of the processes that hold rings: each at most once a second, however many rings of however
/// many bots it holds.
///
/// It runs on the drain's thread, so each call reads few processes, those that have waited longest: about a
/// millisecond, four times a second. With more than some 250 threads in all, each process is read less often than once
/// a second.
struct ProcessMonitor {
    /// A ring's producer, as its newest life describes it.
    struct Holder: Hashable {
        let bot: String
        /// The process id in the pid namespace below; 0 if it is unknown.
        let pid: Int32
        let pidNamespace: UInt64
        let startTicks: UInt64
    }

    static let intervalNanoseconds: Int64 = 1_000_000_000
    /// The number of threads after which a call reads no further process.
    static let threadsPerLook = 64

    struct Entry {
        var outcome: ProcessReading.Outcome?
        var lastLook: MonotonicTime = .min
        /// The result of the last successful look; nil if there was none.
        var totals: BotProcessSnapshot.Totals?
        /// The switches of threads that have ended.
        var endedSwitches = ProcessReading.ThreadSwitches()
        /// The switches that an earlier collector saw; nil after the first look.
        var known: ProcessReading.ThreadSwitches?

        init() {}

        /// Makes the entry of a process that was read before.
        init(known totals: BotProcessSnapshot.Totals) {
            self.totals = totals
            known = ProcessReading.ThreadSwitches(
                voluntary: totals.voluntarySwitches, involuntary: totals.involuntarySwitches)
        }
    }

    /// One bot's processes.
    struct Account {
        var current: Set<ProcessKey> = []
        var obstacles: [BotProcessSnapshot.Obstacle: Int] = [:]
        /// Its recent processes, so that one that attaches again is not counted twice.
        var recent: [(key: ProcessKey, totals: BotProcessSnapshot.Totals)] = []
        /// The sum over all earlier processes.
        var earlier: BotProcessSnapshot.Totals?

        static let recentLimit = 16
    }

    private let root: String
    private let ownNamespace: UInt64
    var entries: [ProcessKey: Entry] = [:]
    var accounts: [String: Account] = [:]
    /// The totals of each bot in the last checkpoint, which are shown; nil if there are no checkpoints.
    var taken: [String: BotProcessSnapshot.Totals?]?
    var shown: [String: BotProcessSnapshot.Totals?]?
    /// The holders for which accounts and entries are up to date; nil if one of these was changed since.
    var settled: Set<Holder>?
    /// The number of reads of processes.
    private(set) var reads = 0

    /// - Parameters:
    ///   - root: The mount point of proc(5).
    ///   - ownNamespace: The inode of the collector's pid namespace.
    init(root: String = "/proc", ownNamespace: UInt64 = ringside_pid_namespace()) {
        self.root = root
        self.ownNamespace = ownNamespace
    }

    /// Records which processes hold rings now, and reads those whose turn it is.
    mutating func look(at holders: Set<Holder>, now: MonotonicTime) {
        if holders != settled {
            settle(holders)
            settled = holders
        }
        let due = entries.lazy.filter { now - Self.intervalNanoseconds >= $0.value.lastLook }
            .sorted { ($0.value.lastLook, $0.key.pid) < ($1.value.lastLook, $1.key.pid) }
        var threads = 0
        for (key, _) in due where threads < Self.threadsPerLook { threads += read(key, now: now) }
    }

    /// Removes the statistics of a bot's processes.
    mutating func forget(bot: String) {
        settled = nil
        accounts[bot] = nil
        taken?[bot] = nil
        shown?[bot] = nil
    }

    func snapshot(of bot: String) -> BotProcessSnapshot? {
        guard let account = accounts[bot] else { return nil }
        var snapshot = BotProcessSnapshot()
        snapshot.obstacles = account.obstacles
        let current = account.current.compactMap { entries[$0] }
        snapshot.totals = shown.map { $0[bot] ?? nil } ?? totals(of: account)
        for entry in current {
            switch entry.outcome {
            case .read(let reading):
                snapshot.processes += 1
                snapshot.residentBytes &+= reading.residentBytes
                snapshot.threads &+= reading.threads
            case .failed(let obstacle): snapshot.obstacles[obstacle, default: 0] += 1
            case nil: break
            }
        }
        return snapshot
    }

    private func totals(of account: Account) -> BotProcessSnapshot.Totals? {
        let current = account.current.compactMap { entries[$0]?.totals }
        return (account.recent.map(\.totals) + current).reduce(account.earlier) {
            ($0 ?? BotProcessSnapshot.Totals()) + $1
        }
    }

    /// Updates accounts and entries to the processes that hold rings now. The statistics of others stay with their
    /// bots.
    private mutating func settle(_ holders: Set<Holder>) {
        var current: [String: Set<ProcessKey>] = [:]
        var obstacles: [String: [BotProcessSnapshot.Obstacle: Int]] = [:]
        for holder in holders {
            if let obstacle = obstacle(to: holder) {
                obstacles[holder.bot, default: [:]][obstacle, default: 0] += 1
            } else {
                current[holder.bot, default: []].insert(ProcessKey(pid: holder.pid, startTicks: holder.startTicks))
            }
        }
        for bot in Set(current.keys).union(obstacles.keys) where accounts[bot] == nil { accounts[bot] = Account() }
        for (bot, processes) in current {
            for (key, totals) in accounts[bot]?.recent ?? [] where processes.contains(key) && entries[key] == nil {
                entries[key] = Entry(known: totals)
            }
        }
        for bot in accounts.keys {
            leave(current[bot] ?? [], of: bot)
            accounts[bot]?.obstacles = obstacles[bot] ?? [:]
        }
        let all = current.values.reduce(into: Set<ProcessKey>()) { $0.formUnion($1) }
        entries = entries.filter { all.contains($0.key) }
        for key in all where entries[key] == nil { entries[key] = Entry() }
    }

    private mutating func leave(_ processes: Set<ProcessKey>, of bot: String) {
        guard var account = accounts[bot], account.current != processes else { return }
        for key in account.current.subtracting(processes) {
            if let totals = entries[key]?.totals { account.recent.append((key, totals)) }
        }
        account.recent.removeAll { processes.contains($0.key) }
        while account.recent.count > Account.recentLimit {
            account.earlier = (account.earlier ?? BotProcessSnapshot.Totals()) + account.recent.removeFirst().totals
        }
        account.current = processes
        accounts[bot] = account
    }

    private func obstacle(to holder: Holder) -> BotProcessSnapshot.Obstacle? {
        guard ownNamespace != 0, holder.pidNamespace != 0, holder.pid > 0, holder.startTicks != 0 else {
            return .unidentified
        }
        return holder.pidNamespace == ownNamespace ? nil : .pidNamespace
    }

    /// Returns the number of threads that were read; 1 if there was no process.
    private mutating func read(_ key: ProcessKey, now: MonotonicTime) -> Int {
        guard var entry = entries[key] else { return 0 }
        reads += 1
        let outcome = ProcessReading.of(key, root: root)
        if case .read(let reading) = outcome {
            if case .read(let last) = entry.outcome { entry.endedSwitches.add(threadsEnded(from: last, to: reading)) }
            var totals = reading.totals
            var running = ProcessReading.ThreadSwitches()
            for thread in reading.switches.values { running.add(thread) }
            if let known = entry.known {
                // The difference to the known switches belongs to threads that ended between two looks.
                entry.endedSwitches.add(known.beyond(running))
                entry.known = nil
            }
            running.add(entry.endedSwitches)
            totals.voluntarySwitches = running.voluntary
            totals.involuntarySwitches = running.involuntary
            entry.totals = totals
        }
        entry.lastLook = now
        entry.outcome = outcome
        entries[key] = entry
        if case .read(let reading) = outcome { return max(1, reading.switches.count) }
        return 1
    }

    /// Returns the switches of threads that no longer exist, or whose id belongs to another thread now.
    private func threadsEnded(
        from last: ProcessReading, to reading: ProcessReading
    ) -> ProcessReading.ThreadSwitches {
        var ended = ProcessReading.ThreadSwitches()
        for (thread, switches) in last.switches {
            let now = reading.switches[thread]
            if let now, now.voluntary >= switches.voluntary, now.involuntary >= switches.involuntary { continue }
            ended.add(switches)
        }
        return ended
    }
}
