import Platform
import Collector
import Drain
import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// Tests how a collector forgets bots that are gone, and how it limits new ones.
@Suite struct ForgettingTests {
    private let rings = TemporaryRingDirectory()
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private static let day: Int64 = 86_400_000_000_000

    private func attach(_ name: String) throws -> Telemetry {
        try Telemetry.attach(
            name, options: AttachOptions(directory: rings.path, capacityRecords: 64, metricCapacity: 8))
    }

    /// Runs a bot that writes a number of records and ends.
    private func run(_ name: String, _ count: Int = 10) throws {
        let telemetry = try attach(name)
        try write(telemetry, count)
        telemetry.close()
    }

    private func write(_ telemetry: borrowing Telemetry, _ count: Int) throws {
        let values = try telemetry.histogram("pattern", help: "Values.")
        let counter = try telemetry.counter("writes_total", help: "Writes.")
        for number in 0..<count {
            values.record(Double(number))
            counter.increment()
        }
    }

    private func configuration(_ text: String = "") throws -> ConfigurationFile {
        RingFile.make("\(folder.path)/configuration", Array("{\(text)}".utf8))
        return try ConfigurationFile(path: "\(folder.path)/configuration", logger: Logger(level: .error))
    }

    private func begin(_ text: String = "") throws -> CollectorHarness {
        try CollectorHarness(rings, configuration: configuration(text), checkpoint: try CheckpointFile(folder))
    }

    private func names(_ collector: CollectorHarness) -> [String] { collector.lookUnchecked().bots.map(\.name) }

    @Test("a bot whose ring is removed is forgotten after a day, another after 30 days; a bot that runs never")
    func ages() throws {
        let alive = try attach("alive")
        try write(alive, 10)
        for name in ["closed", "swept"] { try run(name) }
        let collector = try begin()
        _ = try collector.settle()
        #expect(unlink(rings.ring("swept")) == 0)
        _ = try collector.settle()
        collector.advance(by: Self.day - 60_000_000_000)
        collector.leap()
        #expect(names(collector) == ["alive", "closed", "swept"])
        collector.advance(by: 120_000_000_000)
        for _ in 0..<2 { collector.leap() }
        #expect(names(collector) == ["alive", "closed"])
        #expect(collector.said("bot forgotten", "bot=swept", "forget_removed_after"))
        collector.advance(by: 29 * Self.day)
        for _ in 0..<2 { collector.leap() }
        #expect(names(collector) == ["alive"])
        // The ring that is still in the directory is not read again.
        for _ in 0..<10 { collector.leap() }
        #expect(names(collector) == ["alive"] && collector.lookUnchecked().collector.limits?.forgottenBots == 2)
        alive.close()
    }

    @Test("ages are configured, go on over restarts of the collector, and no step of the wall clock counts")
    func restarts() throws {
        try run("alpha")
        let text = "forget_after: \"10h\", forget_removed_after: \"2h\""
        var collector: CollectorHarness? = try begin(text)
        _ = try collector?.settle()
        for round in 0..<9 {
            collector?.advance(by: 3_600_000_000_000)
            for _ in 0..<4 { collector?.leap() }
            #expect(collector.map(names) == ["alpha"], "after \(round + 1) h")
            let memory = collector?.memory
            collector?.end()
            collector = nil
            collector = try CollectorHarness(
                rings, configuration: configuration(text), checkpoint: try CheckpointFile(folder), memory: memory)
            _ = try collector?.settle()
        }
        collector?.wallOffset = 1000 * Self.day
        for _ in 0..<4 { collector?.leap() }
        #expect(collector.map(names) == ["alpha"])
        collector?.advance(by: 3_600_000_000_000)
        for _ in 0..<2 { collector?.leap() }
        #expect(collector.map(names) == [])
        let memory = collector?.memory
        collector?.end()
        collector = nil
        let checkpoint = try CheckpointFile(folder)
        let saved = try #require(checkpoint.saved)
        #expect(saved.bots.isEmpty && saved.series.isEmpty && saved.rings.isEmpty && saved.processes.isEmpty)
        #expect(saved.gone.isEmpty && saved.forgotten.map(\.name.bot) == ["alpha"])
        collector = try CollectorHarness(
            rings, configuration: configuration(text), checkpoint: checkpoint, memory: memory)
        for _ in 0..<4 { collector?.leap() }
        #expect(collector.map(names) == [])
    }

    @Test("a forgotten bot that comes back is read on from where reading ended, and nothing is counted twice")
    func comesBack() throws {
        try run("alpha", 10)
        let desk = ForgetRequests()
        let collector = try CollectorHarness(
            rings, configuration: configuration(), checkpoint: try CheckpointFile(folder), forgetRequests: desk)
        _ = try collector.settle()
        #expect(try collector.ask(desk, "alpha") == .forgotten)
        collector.leap()
        #expect(names(collector) == [])
        let returned = Double(TimeSource.system.unix()) * 1e-9
        collector.forgetTotals()
        let telemetry = try attach("alpha")
        try write(telemetry, 7)
        // The directory is scanned once a second.
        collector.advance(by: 1_000_000_000)
        let snapshot = try collector.settle()
        let metric = try #require(snapshot.bot()?.metrics.first { $0.name == "pattern" })
        #expect(snapshot.histogram()?.total.count == 7 && snapshot.ring()?.drained == 7)
        #expect(metric.createdUnixSeconds ?? 0 >= returned - 0.001)
        // A counter's cell has everything counted since the ring was made.
        #expect(snapshot.counter("writes_total") == 17)
        telemetry.close()
    }

    @Test("a running bot and an unknown one are refused, and nothing changes")
    func refused() throws {
        let telemetry = try attach("alpha")
        try write(telemetry, 10)
        let desk = ForgetRequests()
        let collector = try CollectorHarness(
            rings, configuration: configuration(), checkpoint: try CheckpointFile(folder), forgetRequests: desk)
        _ = try collector.settle()
        #expect(try collector.ask(desk, "alpha") == .isRunning(pid: getpid()))
        #expect(try collector.ask(desk, "nobody") == .unknown)
        #expect(try collector.settle().histogram()?.total.count == 10)
        telemetry.close()
        _ = try collector.settle()
        #expect(try collector.ask(desk, "alpha") == .forgotten)
    }

    @Test("its alerts and objectives end with it, and the log says why")
    func rules() throws {
        try run("alpha", 50)
        let desk = ForgetRequests()
        let rule = """
            standard_alerts: false, standard_objectives: false,
            objectives: [{ name: "small", instrument: "pattern", threshold: 1.5, target: 0.9 }],
            alerts: [{
                name: "writes", severity: "P1", instrument: "writes_total", statistic: "value", compare: ">", threshold: 1,
            }],
            """
        let collector = try CollectorHarness(
            rings, configuration: configuration(rule), checkpoint: try CheckpointFile(folder), forgetRequests: desk)
        try collector.turn(until: "an alert that fires") { snapshot in
            collector.leap()
            return snapshot.alerts.contains { $0.state == .firing } && collector.said("objective violated")
        }
        #expect(try collector.ask(desk, "alpha") == .forgotten)
        collector.leap()
        let snapshot = collector.lookUnchecked()
        #expect(snapshot.alerts.isEmpty && snapshot.objectives.isEmpty)
        #expect(collector.said("alert resolved", "alert=writes", "the bot was forgotten"))
        #expect(collector.said("objective ended", "objective=small", "the bot was forgotten"))
        for _ in 0..<10 { collector.leap() }
        #expect(collector.lookUnchecked().alerts.isEmpty)
    }

    @Test("bots beyond max_bots are not read; they are counted and named, and read once there is room")
    func mostBots() throws {
        for number in 0..<5 { try run("bot\(number)") }
        let desk = ForgetRequests()
        let collector = try CollectorHarness(
            rings, configuration: configuration("max_bots: 3"), checkpoint: try CheckpointFile(folder),
            forgetRequests: desk)
        _ = try collector.settle()
        #expect(names(collector).count == 3)
        let limits = try #require(collector.lookUnchecked().collector.limits)
        #expect(limits.refusedBots.count == 2 && Set(names(collector) + limits.refusedBots).count == 5)
        #expect(collector.log.split(separator: "\n").filter { $0.contains("max_bots") }.count == 1)
        var forms = AllForms()
        let texts = forms.render(collector.lookUnchecked()).map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.contains { $0.contains("ringside_refused_bots 2\n") })
        #expect(texts.contains { $0.contains("\"refused\":{\"max_bots\":3,\"bots\":[\"\(limits.refusedBots[0])\"") })
        #expect(try collector.ask(desk, names(collector)[0]) == .forgotten)
        collector.advance(by: 2_000_000_000)
        _ = try collector.settle()
        #expect(names(collector).count == 3 && collector.lookUnchecked().collector.limits?.refusedBots.count == 1)
    }

    @Test("series beyond max_series_total are refused, counted and named once; existing series go on")
    func mostSeries() throws {
        for number in 0..<4 { try run("bot\(number)") }
        let desk = ForgetRequests()
        let collector = try CollectorHarness(
            rings, configuration: configuration("max_series_total: 5"), checkpoint: try CheckpointFile(folder),
            forgetRequests: desk
        )
        let snapshot = try collector.settle()
        let limits = try #require(snapshot.collector.limits)
        #expect(snapshot.bots.flatMap(\.metrics).count == 5 && limits.series == 5)
        #expect(limits.refusedSeries.values.reduce(0, +) == 3)
        #expect(snapshot.bots.allSatisfy { $0.rings.allSatisfy { $0.drained + $0.totalLost == 10 } })
        #expect(collector.log.split(separator: "\n").filter { $0.contains("max_series_total") }.count == 1)
        var forms = AllForms()
        let texts = forms.render(snapshot).map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.contains { $0.contains("ringside_refused_registrations_total{bot=") })
        #expect(try collector.ask(desk, "bot0") == .forgotten)
        #expect(collector.lookUnchecked().collector.limits?.series ?? .max <= 5)
    }

    @Test("bots that register too many series keep no later bot out, and are named")
    func carelessBots() throws {
        for name in ["big", "bigger"] {
            let telemetry = try Telemetry.attach(
                name, options: AttachOptions(directory: rings.path, capacityRecords: 16, metricCapacity: 2048))
            for number in 0..<(name == "big" ? 1_400 : 1_500) {
                _ = try telemetry.counter("c_total", help: "Calls.", labels: ["n": "\(number)"])
            }
            telemetry.close()
        }
        let collector = try CollectorHarness(rings, configuration: configuration("max_series_total: 2000"))
        var snapshot = try collector.settle()
        #expect(snapshot.collector.limits?.series == 1_800)
        try run("honest")
        collector.advance(by: 2_000_000_000)
        snapshot = try collector.settle()
        let limits = try #require(snapshot.collector.limits)
        #expect(snapshot.counter("writes_total", of: "honest") == 10 && limits.series == 1_802)
        #expect(limits.refusedSeries.values.reduce(0, +) == 1_100)
        #expect(limits.largestBots.map(\.series).reduce(0, +) == 1_802 && limits.largestBots.count == 3)
        #expect(limits.largestBots.last == LimitStatus.BotSize(bot: "honest", series: 2))
        var forms = AllForms()
        let largest = limits.largestBots.map { "\"\($0.bot)\":\($0.series)" }.joined(separator: ",")
        #expect(
            forms.render(snapshot).contains { String(decoding: $0, as: UTF8.self).contains("\"largest\":{\(largest)}") }
        )
    }

    @Test("remote write marks a forgotten bot's series as ended")
    func staleMarkers() throws {
        try run("alpha")
        let desk = ForgetRequests()
        let collector = try CollectorHarness(
            rings, configuration: configuration(), checkpoint: try CheckpointFile(folder), forgetRequests: desk)
        var forms = AllForms()
        forms.render(try collector.settle())
        #expect(try collector.ask(desk, "alpha") == .forgotten)
        let stale: [UInt8] = [0x02, 0, 0, 0, 0, 0, 0xF0, 0x7F]
        let bodies = forms.render(collector.lookUnchecked())
        let name = Array("writes_total".utf8)
        let ended = bodies.filter { holds($0, stale) && holds($0, name) }
        #expect(ended.count == 1)
        #expect(forms.render(collector.lookUnchecked()).allSatisfy { !holds($0, name) })
    }

    private func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { bytes[$0..<$0 + part.count].elementsEqual(part) }
    }
}
