import Platform
import Glibc
import Series
import TestSupport
import Testing

@testable import Drain

private let second: MonotonicTime = 1_000_000_000

/// A /proc of the test's own, and a monitor of it in the pid namespace 7.
private struct FakeProc {
    let directory = TemporaryRingDirectory(under: "/tmp")
    var watch: ProcessMonitor

    init() { watch = ProcessMonitor(root: directory.path, ownNamespace: 7) }

    /// Writes a process with one thread for each pair of switches.
    func write(
        _ pid: Int32, start: UInt64, ticks: UInt64 = 100, pages: UInt64 = 10,
        switches: [Int32: (UInt64, UInt64)] = [1: (5, 2)]
    ) throws {
        let folder = "\(directory.path)/\(pid)"
        for (thread, counts) in switches {
            let path = "\(folder)/task/\(thread)"
            for parent in [folder, "\(folder)/task", path] { mkdir(parent, 0o755) }
            try put(
                "Name:\ta b\nvoluntary_ctxt_switches:\t\(counts.0)\nnonvoluntary_ctxt_switches:\t\(counts.1)\n",
                in: "\(path)/status")
        }
        for name in try #require(names(in: "\(folder)/task")) where switches[Int32(name) ?? 0] == nil {
            unlink("\(folder)/task/\(name)/status")
            rmdir("\(folder)/task/\(name)")
        }
        // The name is a trap: it contains the end mark of a name, and blanks.
        try put(
            "\(pid) (a) b (c) S 1 1 1 0 -1 4194304 30 0 4 0 \(ticks) \(ticks) 0 0 20 0 \(switches.count) 0 \(start) 999 \(pages) 1 1\n",
            in: "\(folder)/stat")
    }

    private func names(in path: String) -> [String]? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return ProcFile.entries(of: ".", in: descriptor)
    }

    private func put(_ text: String, in path: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }

    static func holder(
        _ bot: String, _ pid: Int32, start: UInt64, namespace: UInt64 = 7
    ) -> ProcessMonitor.Holder {
        ProcessMonitor.Holder(bot: bot, pid: pid, pidNamespace: namespace, startTicks: start)
    }
}

@Suite("The bots' processes") struct ProcessWatchTests {
    private let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

    @Test("a process is read with its memory, threads, CPU time, faults and the switches of all its threads")
    func reads() throws {
        var proc = FakeProc()
        try proc.write(40, start: 9, ticks: 150, pages: 3, switches: [40: (5, 2), 41: (10, 1)])
        proc.watch.look(at: [FakeProc.holder("a", 40, start: 9)], now: 0)
        let found = try #require(proc.watch.snapshot(of: "a"))
        #expect(found.processes == 1 && found.threads == 2 && found.obstacles.isEmpty)
        #expect(found.residentBytes == 3 * UInt64(sysconf(Int32(_SC_PAGESIZE))))
        let totals = try #require(found.totals)
        #expect(totals.cpuSeconds == 300 / ticksPerSecond)
        #expect(totals.minorFaults == 30 && totals.majorFaults == 4)
        #expect(totals.voluntarySwitches == 15 && totals.involuntarySwitches == 3)
        #expect(proc.watch.snapshot(of: "b") == nil)
    }

    @Test("a process of several bots and lanes is read once, once a second at most, and shows with each bot")
    func readsOnce() throws {
        var proc = FakeProc()
        try proc.write(40, start: 9)
        let holders: Set = [FakeProc.holder("a", 40, start: 9), FakeProc.holder("b", 40, start: 9)]
        for look in 0..<8 { proc.watch.look(at: holders, now: MonotonicTime(look) * second / 4) }
        #expect(proc.watch.reads == 2)
        #expect(proc.watch.snapshot(of: "a") == proc.watch.snapshot(of: "b"))
        #expect(proc.watch.snapshot(of: "a")?.processes == 1)
    }

    @Test(
        "a process that cannot be looked at has its reason: another namespace, a number of another's, nobody's, or none"
    )
    func obstacles() throws {
        var proc = FakeProc()
        try proc.write(40, start: 10)
        proc.watch.look(
            at: [
                FakeProc.holder("foreign", 40, start: 10, namespace: 8), FakeProc.holder("recycled", 40, start: 9),
                FakeProc.holder("nobody", 41, start: 9), FakeProc.holder("unknown", 40, start: 0),
            ], now: 0)
        let expected: [(String, BotProcessSnapshot.Obstacle)] = [
            ("foreign", .pidNamespace), ("recycled", .gone), ("nobody", .gone), ("unknown", .unidentified),
        ]
        for (bot, obstacle) in expected {
            let found = try #require(proc.watch.snapshot(of: bot))
            #expect(found.obstacles == [obstacle: 1], "\(bot)")
            #expect(found.totals == nil && found.processes == 0 && found.residentBytes == 0, "\(bot)")
        }
    }

    @Test("a restarted collector goes on with what its checkpoint has: threads and processes that ended stay counted")
    func restart() throws {
        var proc = FakeProc()
        let holders: Set = [FakeProc.holder("a", 40, start: 9), FakeProc.holder("gone", 41, start: 9)]
        try proc.write(40, start: 9, ticks: 100, switches: [40: (5, 2), 41: (10, 1)])
        try proc.write(41, start: 9, ticks: 7)
        proc.watch.look(at: holders, now: 0)
        let states = proc.watch.takeStates()
        #expect(proc.watch.snapshot(of: "a")?.totals?.voluntarySwitches == 15)
        // While no collector looks, a thread of one process ends, and the other process ends altogether.
        try proc.write(40, start: 9, ticks: 130, switches: [40: (6, 2)])
        proc.watch = ProcessMonitor(root: proc.directory.path, ownNamespace: 7)
        proc.watch.restore(states, isSameBoot: true)
        #expect(proc.watch.snapshot(of: "a")?.totals?.voluntarySwitches == 15)
        for time in [0, second] { proc.watch.look(at: [FakeProc.holder("a", 40, start: 9)], now: time) }
        let found = try #require(proc.watch.snapshot(of: "a")?.totals)
        #expect(found.voluntarySwitches == 15 && found.involuntarySwitches == 3)
        #expect(found.cpuSeconds == 260 / ticksPerSecond)
        #expect(proc.watch.snapshot(of: "gone")?.totals?.cpuSeconds == 14 / ticksPerSecond)
        // Numbers of another boot cannot be continued. The earlier totals stay, and the present numbers are added.
        var later = ProcessMonitor(root: proc.directory.path, ownNamespace: 7)
        later.restore(states, isSameBoot: false)
        later.look(at: [FakeProc.holder("a", 40, start: 9)], now: 0)
        #expect(later.snapshot(of: "a")?.totals?.cpuSeconds == (200 + 260) / ticksPerSecond)
    }

    @Test("where checkpoints are kept, nothing is shown that a restart would not restore")
    func showsWhatIsKept() throws {
        var proc = FakeProc()
        let holders: Set = [FakeProc.holder("a", 40, start: 9)]
        var kept: [UInt64] = []
        for turn in 0..<5 {
            try proc.write(40, start: 9, switches: [40: (UInt64(10 * turn), 0)])
            proc.watch.look(at: holders, now: MonotonicTime(turn) * second)
            let states = proc.watch.takeStates()
            kept.append(try #require(states.first?.processes.first).totals.voluntarySwitches)
            let shown = proc.watch.snapshot(of: "a")?.totals?.voluntarySwitches
            #expect(shown == (turn == 0 ? kept[0] : kept[turn - 1]))
        }
    }

    @Test("totals never fall: a process that ends, another that takes its number, a thread that ends")
    func totalsStay() throws {
        var proc = FakeProc()
        try proc.write(40, start: 9, ticks: 100, switches: [40: (5, 2), 41: (10, 1)])
        proc.watch.look(at: [FakeProc.holder("a", 40, start: 9)], now: 0)
        try proc.write(40, start: 9, ticks: 120, switches: [40: (6, 2)])
        proc.watch.look(at: [FakeProc.holder("a", 40, start: 9)], now: second)
        #expect(proc.watch.snapshot(of: "a")?.totals?.voluntarySwitches == 16)
        // The process id goes to a stranger while the bot still seems to hold its ring.
        try proc.write(40, start: 77, ticks: 9_000)
        proc.watch.look(at: [FakeProc.holder("a", 40, start: 9)], now: 2 * second)
        let orphaned = try #require(proc.watch.snapshot(of: "a"))
        #expect(orphaned.totals?.cpuSeconds == 240 / ticksPerSecond)
        #expect(orphaned.processes == 0 && orphaned.obstacles == [.gone: 1] && orphaned.residentBytes == 0)
        proc.watch.look(at: [], now: 3 * second)
        #expect(proc.watch.snapshot(of: "a")?.totals == orphaned.totals)
        #expect(proc.watch.snapshot(of: "a")?.obstacles == [:])
        // The bot comes back as another process, and its total goes on.
        try proc.write(50, start: 80, ticks: 1)
        proc.watch.look(at: [FakeProc.holder("a", 50, start: 80)], now: 4 * second)
        #expect(proc.watch.snapshot(of: "a")?.totals?.cpuSeconds == 242 / ticksPerSecond)
    }

    @Test(
        "a process that closes its ring and attaches again is not counted twice, and those of long ago are not forgotten"
    )
    func comesBack() throws {
        var proc = FakeProc()
        try proc.write(40, start: 9, ticks: 100)
        for round in 0..<6 {
            let holders: Set = round % 2 == 0 ? [FakeProc.holder("a", 40, start: 9)] : []
            proc.watch.look(at: holders, now: MonotonicTime(round) * second)
            #expect(proc.watch.snapshot(of: "a")?.totals?.cpuSeconds == 200 / ticksPerSecond, "\(round)")
        }
        for pid in 100..<140 as Range<Int32> {
            try proc.write(pid, start: 9, ticks: 1)
            proc.watch.look(at: [FakeProc.holder("a", pid, start: 9)], now: MonotonicTime(pid) * second)
        }
        let total = try #require(proc.watch.snapshot(of: "a")?.totals?.cpuSeconds)
        #expect(abs(total - 280 / ticksPerSecond) < 1e-9)
    }

    @Test("many processes take turns, so that no look is long, and all are read")
    func turns() throws {
        var proc = FakeProc()
        var holders: Set<ProcessMonitor.Holder> = []
        for pid in 100..<140 as Range<Int32> {
            try proc.write(pid, start: 9, switches: [1: (1, 1), 2: (1, 1), 3: (1, 1), 4: (1, 1)])
            holders.insert(FakeProc.holder("a", pid, start: 9))
        }
        for (look, processes) in [16, 32, 40].enumerated() {
            proc.watch.look(at: holders, now: MonotonicTime(look) * second / 4)
            #expect(proc.watch.reads == processes)
        }
        #expect(proc.watch.snapshot(of: "a")?.processes == 40)
    }

    @Test("damaged files of /proc are nothing, and never a trap", arguments: ["", "1", "1 (x", "1 (x) S 1 2 3", "()"])
    func damage(stat: String) {
        #expect(ProcessReading.statFields(Array(stat.utf8)) == nil)
        #expect(ProcFile.number(Array("99999999999999999999".utf8)[...]) == nil)
        for status in ["voluntary_ctxt_switches: x\n", "voluntary_ctxt_switches:", "\n\n", ""] {
            let field = Array(status.utf8).withUnsafeBufferPointer {
                ProcFile.field("voluntary_ctxt_switches:", of: $0)
            }
            #expect(field == nil)
        }
    }
}
