import Exposition
import Series
import Sketch
import TestSupport
import Testing

@testable import History

@Suite("The collector's account in the history") struct AccountSeriesTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private static let start = Scene.start / 60

    /// The collector's account after a minute of its run.
    private struct Account {
        var drained: UInt64 = 0
        var cpuSeconds = 0.0
        var compliance: Double? = 0.5
        var cycles: [Double] = []
        var residentBytes: UInt64 = 5 << 20

        func snapshot(minute: Int64) -> Snapshot {
            var snapshot = emptySnapshot(unixNanoseconds: (Scene.start + minute * 60) * 1_000_000_000)
            var rings = ["", "md"].map { lane in
                RingSnapshot(
                    lane: lane, isUp: true, pid: 1, position: 0, drained: drained / 2, backlog: 0, lost: [:], late: 0,
                    future: 0, lastRecordAge: 0)
            }
            rings[0].drained = drained - drained / 2
            var process = BotProcessSnapshot()
            (process.processes, process.residentBytes) = (1, 100 << 20)
            process.totals = BotProcessSnapshot.Totals()
            process.totals?.cpuSeconds = cpuSeconds
            snapshot.bots = [
                BotSnapshot(
                    name: "alpha", isUp: true, labels: [], rings: rings, metrics: [], windows: [], process: process)
            ]
            func window(_ name: String, _ compliance: Double?) -> ObjectiveSnapshot.Window {
                ObjectiveSnapshot.Window(name: name, counts: EventCounts(good: 1, bad: 1), compliance: compliance)
            }
            snapshot.objectives = [
                ObjectiveSnapshot(
                    objective: "acks", bot: "alpha", rule: nil, target: 0.9, minimumEvents: 1, state: .met,
                    counts: EventCounts(good: 1, bad: 1), windows: [window("1m", 0.25), window("1h", compliance)],
                    budgetRemaining: nil, burns: [])
            ]
            var sketch = ExponentialSketch()
            for cycle in cycles { sketch.insert(cycle) }
            snapshot.collector.drainCycleSketch = sketch.snapshot()
            snapshot.collector.drainCycle = HistogramSummary(
                count: UInt64(cycles.count), sum: cycles.reduce(0, +),
                extremes: cycles.min().map { .init(minimum: $0, maximum: cycles.max()!) }, quantiles: [])
            return snapshot
        }

        var process: ProcessStatistics {
            ProcessStatistics(
                cpuSeconds: 1, openDescriptors: 1, maximumDescriptors: 1, virtualBytes: 1, residentBytes: residentBytes,
                startSeconds: 1, threads: 1)
        }
    }

    private func write(_ writer: inout Writer, _ account: Account, minute: Int64) throws {
        let increase = try #require(
            writer.ledger.increase(to: account.snapshot(minute: minute), process: account.process))
        try writer.store.write(increase.entries)
        writer.ledger.accept(increase)
    }

    private func points(_ metric: String, bot: String) throws -> [HistoryPoint] {
        let query = HistoryQuery(metric: metric, bot: bot, minutes: Self.start..<Self.start + 10, stepMinutes: 1)
        return try HistoryReader(path: path).answer(query).series.first?.points ?? []
    }

    @Test("records, processor time, memory, compliance and drain cycles have a value of each minute")
    func minutes() throws {
        var writer = try Writer(path)
        var account = Account()
        account.cpuSeconds = 1000
        (account.drained, account.cycles) = (101, [1e-3, 2e-3])
        try write(&writer, account, minute: 1)
        (account.drained, account.cpuSeconds, account.compliance) = (301, 1000.5, 0.75)
        account.cycles += [4e-3]
        account.residentBytes = 6 << 20
        try write(&writer, account, minute: 2)
        account.compliance = nil
        try write(&writer, account, minute: 3)
        #expect(try points("ringside_records_total", bot: "alpha").map(\.increase) == [101, 200])
        // A process' usage before the first reading belongs to no minute.
        #expect(try points("ringside_bot_cpu_seconds_total", bot: "alpha").map(\.increase) == [0.5])
        #expect(
            try points("ringside_bot_resident_memory_bytes", bot: "alpha").map(\.gauge?.last)
                == Array(repeating: 100 * 0x1p20, count: 3))
        #expect(try points("ringside_slo_compliance_ratio", bot: "alpha").map(\.gauge?.last) == [0.5, 0.75])
        #expect(
            try points("process_resident_memory_bytes", bot: "").map(\.gauge?.last) == [5, 6, 6].map { $0 * 0x1p20 })
        let cycles = try points("ringside_drain_cycle_seconds", bot: "").map(\.histogram)
        #expect(cycles.map { $0?.count } == [2, 1])
        #expect(cycles.last??.maximum == 4e-3 && cycles.first??.sum == 3e-3)
        let names = try HistoryReader(path: path).series().filter { $0.key.name == "ringside_slo_compliance_ratio" }
        #expect(names.map(\.key.labels) == [[Label("objective", "acks"), Label("window", "1h")]])
    }

    @Test("after a restart nothing is counted twice: totals that were kept go on, and those of one run begin with it")
    func restarted() throws {
        var account = Account()
        (account.drained, account.cpuSeconds, account.cycles) = (100, 10, [1e-3, 1e-3, 1e-3])
        do {
            var writer = try Writer(path)
            try write(&writer, account, minute: 1)
        }
        (account.drained, account.cpuSeconds, account.cycles) = (150, 12, [2e-3, 2e-3, 2e-3, 2e-3])
        var writer = try Writer(path, .restored, at: (Scene.start + 60) * 1_000_000_000)
        try write(&writer, account, minute: 2)
        account.cycles += [3e-3]
        try write(&writer, account, minute: 3)
        #expect(try points("ringside_records_total", bot: "alpha").map(\.increase) == [100, 50])
        #expect(try points("ringside_bot_cpu_seconds_total", bot: "alpha").map(\.increase) == [2])
        #expect(try points("ringside_drain_cycle_seconds", bot: "").map(\.histogram?.count) == [3, 4, 1])
    }

    @Test("totals that an earlier version's history does not know are counted from here on")
    func upgraded() throws {
        do { try Writer(path).store.write([]) }
        var account = Account()
        (account.drained, account.cpuSeconds) = (1_000_000, 500)
        var writer = try Writer(path, .restored)
        try write(&writer, account, minute: 1)
        (account.drained, account.cpuSeconds) = (1_000_007, 501)
        try write(&writer, account, minute: 2)
        #expect(try points("ringside_records_total", bot: "alpha").map(\.increase) == [7])
        #expect(try points("ringside_bot_cpu_seconds_total", bot: "alpha").map(\.increase) == [1])
    }

    @Test("a comparison of all histograms is of the bots', and of the drain where it is asked for")
    func compared() throws {
        var account = Account()
        account.cycles = [1e-3, 2e-3]
        var writer = try Writer(path)
        try write(&writer, account, minute: 1)
        func rows(_ metric: String?) throws -> [String] {
            let minutes = HistoryComparison.Choice(minutes: Self.start..<Self.start + 10)
            return try HistoryReader(path: path).compare(minutes, minutes, metric: metric, bot: nil, labels: []).rows
                .map(\.name)
        }
        #expect(try rows(nil) == [] && rows("ringside_drain_cycle_seconds") == ["ringside_drain_cycle_seconds"])
    }
}
