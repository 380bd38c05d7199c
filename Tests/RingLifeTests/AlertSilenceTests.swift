import Drain
import Glibc
import Platform
import Ringside
import Rules
import Series
import TestSupport
import Testing

/// An operator's requests about alerts, up to the snapshot and over restarts.
@Suite("Alerts that an operator resolves or silences") struct AlertSilenceTests {
    private let rings = TemporaryRingDirectory()
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private let desk = AlertRequests()
    private static let second: Int64 = 1_000_000_000

    private func configuration() throws -> ConfigurationFile {
        let path = "\(folder.path)/configuration"
        let text = """
            { standard_alerts: false, standard_objectives: false,
              alerts: [
                { name: "deep", severity: "P1", instrument: "depth", compare: ">", threshold: 5 },
                { name: "high", severity: "P2", instrument: "depth", compare: ">", threshold: 50, for: "10m" },
              ] }
            """
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Glibc.write(file, text, text.utf8.count)
        close(file)
        return try ConfigurationFile(path: path, logger: Logger(level: .error, descriptor: -1))
    }

    private func attach() throws -> Telemetry {
        try Telemetry.attach(
            "alpha", options: AttachOptions(directory: rings.path, capacityRecords: 1024, metricCapacity: 16))
    }

    private func collector(memory: CollectorHarness.Memory? = nil) throws -> CollectorHarness {
        try CollectorHarness(
            rings, configuration: configuration(), checkpoint: try CheckpointFile(folder), memory: memory,
            alertRequests: desk)
    }

    private func alert(_ name: String, _ collector: CollectorHarness) throws -> AlertSnapshot? {
        try collector.look().alerts.first { $0.alert == name }
    }

    /// Lets a second pass, after which alerts were evaluated.
    private func pass(_ collector: CollectorHarness, seconds: Int64 = 1) {
        collector.advance(by: seconds * Self.second)
        collector.work()
    }

    @Test("a resolved alert stays ended, over a restart too, until its condition has ceased to hold once")
    func resolved() throws {
        let telemetry = try attach()
        let depth = try telemetry.gauge("depth", help: "A queue's depth.")
        depth.set(9)
        var collector: CollectorHarness! = try self.collector()
        try collector.turn(until: "an alert that fires") {
            pass(collector)
            return $0.alerts.contains { $0.state == .firing }
        }
        #expect(try collector.ask(desk, .resolve("deep/beta")) == .unknown(["deep/alpha", "high/alpha"]))
        #expect(try collector.ask(desk, .resolve("high/alpha")) == .doesNotFire(.inactive))
        #expect(try collector.ask(desk, .resolve("deep/alpha")) == .resolved)
        #expect(collector.said("alert resolved", "alert=deep", "an operator resolved it"))
        #expect(try collector.ask(desk, .resolve("deep/alpha")) == .doesNotFire(.inactive))
        for round in 0..<2 {
            for _ in 0..<5 { pass(collector) }
            #expect(try alert("deep", collector)?.state == .inactive, "round \(round)")
            collector.end()
            let memory = collector.memory
            collector = nil
            collector = try self.collector(memory: memory)
            _ = try collector.settle()
        }
        #expect(try alert("deep", collector)?.state == .inactive)
        depth.set(1)
        _ = try collector.settle()
        pass(collector)
        depth.set(9)
        _ = try collector.settle()
        pass(collector)
        #expect(try alert("deep", collector)?.state == .firing)
        telemetry.close()
    }

    /// The arguments are the end of the previous collector, and the step of the wall clock meanwhile.
    @Test(
        "a silence goes on over a restart for as long as it has left, whatever is done to the wall clock",
        arguments: [(true, 0), (false, 0), (true, 86_400), (false, -86_400)] as [(Bool, Int64)])
    func restarted(endsInOrder: Bool, wallSeconds: Int64) throws {
        let telemetry = try attach()
        let depth = try telemetry.gauge("depth", help: "A queue's depth.")
        depth.set(9)
        var collector: CollectorHarness! = try self.collector()
        _ = try collector.settle()
        let order = SilenceRequest(
            alert: Glob("d*"), bot: Glob("alph?"), nanoseconds: 600 * Self.second, reason: "a test")
        let answer = try collector.ask(desk, .silence(order))
        guard case .silenced(let silence, let alerts, let names) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(silence.number == 1 && silence.alert == "d*" && silence.bot == "alph?" && silence.reason == "a test")
        #expect(silence.untilUnixNanoseconds - silence.sinceUnixNanoseconds == 600 * Self.second)
        #expect(alerts == 1 && names == ["deep", "high"])
        pass(collector)
        #expect(try alert("deep", collector)?.state == .firing && alert("deep", collector)?.isSilenced == true)
        #expect(try alert("high", collector)?.isSilenced == false)
        pass(collector, seconds: 200)
        collector.wallOffset = wallSeconds * Self.second
        if endsInOrder {
            collector.end()
        } else {
            // The checkpoint of the same turn has what an operator was told.
            collector.work()
        }
        let memory = collector.memory
        collector = nil
        collector = try self.collector(memory: memory)
        collector.wallOffset = wallSeconds * Self.second
        _ = try collector.settle()
        let snapshot = try collector.look()
        #expect(snapshot.silences.map(\.number) == [1] && snapshot.silences.map(\.reason) == ["a test"])
        let left = try #require(snapshot.silences.first).untilUnixNanoseconds - snapshot.unixNanoseconds
        #expect((380 * Self.second...400 * Self.second).contains(left), "\(left / Self.second) s are left")
        #expect(try alert("deep", collector)?.isSilenced == true)
        pass(collector, seconds: 370)
        #expect(try alert("deep", collector)?.isSilenced == true)
        pass(collector, seconds: 40)
        #expect(try alert("deep", collector)?.isSilenced == false && alert("deep", collector)?.state == .firing)
        #expect(try collector.look().silences.isEmpty)
        #expect(collector.said("silence ended", "its time is over"))
        telemetry.close()
    }

    @Test("a silence that an operator ends is over at once, and does not come back with a restart")
    func ended() throws {
        var collector: CollectorHarness! = try self.collector()
        let order = SilenceRequest(alert: .all, nanoseconds: 60 * Self.second)
        for _ in 1...3 { _ = try collector.ask(desk, .silence(order)) }
        guard case .unsilenced(let silence) = try collector.ask(desk, .unsilence(2)) else {
            Issue.record("not ended")
            return
        }
        #expect(silence.number == 2)
        #expect(try collector.ask(desk, .unsilence(2)) == .noSilence([1, 3]))
        for _ in 4...101 { _ = try collector.ask(desk, .silence(order)) }
        #expect(try collector.look().silences.count == 100)
        #expect(try collector.ask(desk, .silence(order)) == .full)
        let memory = collector.memory
        collector = nil
        collector = try self.collector(memory: memory)
        #expect(try collector.look().silences.map(\.number) == [1] + Array(3...101))
    }

    @Test("an operator gets the answer once a checkpoint has what was done, and at once where none can be written")
    func stored() throws {
        let telemetry = try attach()
        let file = try CheckpointFile(folder)
        let desk = AlertRequests(patienceNanoseconds: .max)
        let collector = try CollectorHarness(
            rings, configuration: configuration(), checkpoint: file, alertRequests: desk)
        _ = try collector.settle()
        file.isBusy = true
        let answered = Flag()
        let thread = NativeThread {
            _ = desk.ask(.silence(SilenceRequest(alert: Glob("deep"), nanoseconds: 60 * Self.second)))
            answered.raise()
        }
        try Watchdog.wait(for: "the silence") {
            collector.work()
            return try collector.look().silences.count == 1
        }
        for _ in 0..<100 {
            collector.work()
            usleep(500)
        }
        #expect(!answered.isRaised)
        file.isBusy = false
        let written = file.written
        try Watchdog.wait(for: "the answer") {
            collector.work()
            return answered.isRaised
        }
        thread.join()
        #expect(file.written > written)
        file.refusal = "no space left"
        collector.advance(by: 2 * Self.second)
        collector.work()
        #expect(try collector.ask(desk, .unsilence(7)) == .noSilence([1]))
        telemetry.close()
    }

    @Test("exports show which alerts are silenced")
    func shown() throws {
        let telemetry = try attach()
        try telemetry.gauge("depth", help: "A queue's depth.").set(9)
        let collector = try self.collector()
        _ = try collector.settle()
        _ = try collector.ask(desk, .silence(SilenceRequest(alert: Glob("deep"), nanoseconds: 60 * Self.second)))
        pass(collector)
        var forms = AllForms()
        let texts = forms.render(try collector.look()).map { String(decoding: $0, as: UTF8.self) }
        let silenced = "ringside_alert_silenced{alert=\"deep\",bot=\"alpha\",severity=\"P1\"} 1\n"
        #expect(texts.contains { $0.contains(silenced) })
        #expect(!texts.contains { $0.contains("ringside_alert_silenced{alert=\"high\"") })
        let latest = try #require(texts.first { $0.hasPrefix("{\"time\":") && $0.contains("\"silences\":") })
        #expect(latest.contains("\"alerts\":[{\"id\":\"deep/alpha\",\"alert\":\"deep\""))
        #expect(latest.contains("\"silenced\":true,\"silenced_until\":") && latest.contains("\"silences\":[{\"id\":1,"))
        telemetry.close()
    }

    @Test("each beginning and end goes out with every snapshot until the history has it, and none without a history")
    func events() throws {
        let telemetry = try attach()
        let depth = try telemetry.gauge("depth", help: "A queue's depth.")
        let receipt = HistoryReceipt()
        let collector = try CollectorHarness(rings, configuration: configuration(), receipt: receipt)
        let without = try CollectorHarness(rings, configuration: configuration())
        for value in [9.0, 1, 9] {
            depth.set(value)
            for collector in [collector, without] {
                _ = try collector.settle()
                pass(collector)
            }
        }
        #expect(try without.look().alertEvents.isEmpty && alert("deep", without)?.state == .firing)
        let events = try collector.look().alertEvents
        #expect(events.map(\.number) == [1, 2, 3] && events.map(\.alert.value) == [9, 1, 9])
        #expect(events.map(\.alert.state) == [.firing, .inactive, .firing])
        #expect(events[1].alert.resolution == "the condition no longer holds")
        receipt.note(writtenAlert: 2)
        #expect(try collector.look().alertEvents.map(\.number) == [3])
        telemetry.close()
    }
}
