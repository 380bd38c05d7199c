import FoundationEssentials
import Glibc
import Ringside
import TestSupport
import Testing

/// A line of `ringside tail --format json`.
struct TailLine: Decodable, Equatable {
    let bot, lane: String
    let sequence: UInt64?
    let time, metric, trace_id, span_id, parent_span_id, trace_lost, reason: String?
    let labels: [String: String]?
    let value: Double?
    let weight: Int?
    let failed: Bool?
    let lost: UInt64?

    static func all(_ text: String) throws -> [TailLine] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(TailLine.self, from: Data($0.utf8)) }
    }
}

@Suite struct TailTests {
    private let directory = TemporaryRingDirectory()

    private func attach(
        _ ring: String, mode: AttachOptions.Mode = .resume, capacity: Int = 4096
    ) throws -> Telemetry {
        let options = AttachOptions(
            directory: directory.path, capacityRecords: capacity, metricCapacity: 8, mode: mode)
        return try Telemetry.attach(ring, options: options)
    }

    private func tail(_ arguments: String...) throws -> ChildProcess {
        let tool = ChildProcess.builtProgram("ringside")
        return try ChildProcess([tool, "tail", "--format", "json", "--ring-dir", directory.path] + arguments)
    }

    /// Waits until it has ended by itself, and returns its lines.
    private func lines(_ tail: ChildProcess) throws -> [TailLine] {
        let exit = try tail.wait()
        #expect(exit == .code(0), "\(tail.standardError)")
        return try TailLine.all(tail.standardOutput)
    }

    @Test("tail shows every record of a bot at an even pace, in order, and ends when the ring is closed")
    func paced() throws {
        let telemetry = try attach("alpha")
        let histogram = try telemetry.histogram("x_bps", unit: .bps, help: "X.", labels: ["side": "buy"])
        let tail = try tail("alpha", "--from", "oldest", "--linger", "0s")
        for value in 0..<2000 {
            histogram.record(Double(value), at: telemetry.now())
            if value % 10 == 0 { usleep(1000) }
        }
        telemetry.close()
        let lines = try lines(tail)
        #expect(lines.map(\.sequence) == (0..<2000).map { UInt64($0) })
        #expect(lines.map(\.value) == (0..<2000).map { Double($0) })
        #expect(
            lines.allSatisfy {
                $0.bot == "alpha" && $0.lane == "" && $0.labels == ["side": "buy"] && $0.failed == false
            })
        let times = lines.compactMap(\.time)
        #expect(times.count == 2000 && times == times.sorted())
        #expect(times.allSatisfy { $0.utf8.count == "2025-11-22T10:53:01.123456789Z".utf8.count && $0.hasSuffix("Z") })
        #expect(tail.standardError == "")
    }

    @Test("--from now shows only later records, and a count ends it")
    func fromNow() throws {
        let telemetry = try attach("alpha")
        let histogram = try telemetry.histogram("x_bps", unit: .bps, help: "X.")
        for _ in 0..<100 { histogram.record(-1) }
        let tail = try tail("alpha", "--count", "7")
        try Watchdog.wait(for: "seven records") {
            histogram.record(1)
            return tail.hasEnded()
        }
        let lines = try lines(tail)
        #expect(lines.map(\.value) == [Double](repeating: 1, count: 7))
        let first = try #require(lines[0].sequence)
        #expect(first >= 100 && lines.map(\.sequence) == (first..<first + 7).map { $0 })
        telemetry.close()
        let held = try self.tail("alpha", "--from", "oldest", "-n", "3")
        #expect(try self.lines(held).map(\.sequence) == [0, 1, 2])
        let nothing = try self.tail("alpha")
        #expect(try self.lines(nothing).isEmpty && nothing.standardError.contains("--from oldest"))
    }

    @Test("a record is shown in seconds, units, weights and marks; null stands for what it lacks")
    func enrichment() throws {
        let telemetry = try attach("alpha.md")
        let spans = try telemetry.durationHistogram("decide_seconds", help: "Spans.")
        let now = telemetry.now()
        spans.record(from: Instant(ticks: now.ticks - UInt64(TickClock.ticksPerSecond / 1000)), to: now, trace: 7)
        spans.start(trace: .max).fail()
        spans.record(nanoseconds: 1_234_567)
        let histogram = try telemetry.histogram("slip_bps", unit: .bps, help: "Slip.")
        RingFile(directory.ring("alpha.md")).setControlWord(0x10003, ofMetric: 1)
        while try Tool.dump(directory.ring("alpha.md"), "-n", "1").records.first?.name != "slip_bps" {
            histogram.record(0.1)
        }
        telemetry.close()
        let prefix = String(telemetry.trace(7).traceID.high, radix: 16).padded(to: 16)
        let lines = try lines(try tail("alpha.md", "--from", "oldest"))
        #expect(lines.allSatisfy { $0.bot == "alpha" && $0.lane == "md" })
        #expect((try #require(lines[0].value) / 1e-3 - 1).magnitude < 1e-3)
        #expect(lines[2].value == 1_234_567 / 1e9 && lines[2].time == nil)
        #expect(
            lines.prefix(4).map(\.trace_id) == ["\(prefix)0000000000000007", "\(prefix)ffffffffffffffff", nil, nil])
        #expect(lines.prefix(4).map(\.failed) == [false, true, false, false])
        #expect(lines[3].metric == "slip_bps" && lines[3].value == 0.1 && lines[3].weight == 3)
        let text = try Tool.run(
            "tail", "alpha", "--from", "oldest", "--ring-dir", directory.path, environment: ["TZ": "XXX-05:30"])
        #expect(text.output.contains("+05:30  alpha.md  decide_seconds"))
        #expect(text.output.contains("failed  trace \(prefix)ffffffffffffffff") && text.output.contains("0.1 bps  x3"))
        #expect(text.output.contains("1.234567 ms") && text.exit == .code(0))
    }

    @Test("lanes are merged by time, and a lane that appears later is added")
    func lanes() throws {
        let first = try attach("alpha.a", capacity: 16384)
        let a = try first.histogram("a_bps", unit: .bps, help: "A.")
        let tail = try tail("alpha", "--from", "oldest", "--linger", "0s")
        var value = 0
        func write(_ clock: borrowing Telemetry, _ b: Histogram? = nil) {
            a.record(Double(value), at: clock.now())
            b?.record(Double(value) + 0.5, at: clock.now())
            value += 1
            usleep(300)
        }
        for _ in 0..<200 { write(first) }
        let second = try attach("alpha.b", capacity: 16384)
        let b = try second.histogram("b_bps", unit: .bps, help: "B.")
        // A lane that began before it was seen brings its first records late.
        try Watchdog.wait(for: "the second lane") {
            write(first, b)
            return tail.lines.last?.contains("\"lane\":\"b\"") == true
        }
        let settled = value
        for _ in 0..<4000 { write(first, b) }
        try attach("beta").close()
        first.close()
        second.close()
        let lines = try lines(tail)
        #expect(lines.filter { $0.lane == "a" }.compactMap(\.value) == (0..<value).map { Double($0) })
        #expect(lines.filter { $0.lane == "b" }.compactMap(\.value) == (200..<value).map { Double($0) + 0.5 })
        #expect(lines.allSatisfy { $0.bot == "alpha" })
        // From there on every record is in its place among those of both lanes, by its value and by its time.
        let merged = lines.filter { $0.value ?? 0 >= Double(settled) }
        #expect(merged.compactMap(\.value) == (2 * settled..<2 * value).map { Double($0) / 2 })
        #expect(merged.compactMap(\.time) == merged.compactMap(\.time).sorted())
    }

    @Test(
        "the records of one order are found over all lanes, and over all bots, in time order",
        arguments: [
            "255", "0xff", "0xFF", "00000000000000ff",
        ])
    func trace(id: String) throws {
        let md = try attach("alpha.md")
        let orders = try attach("alpha.orders")
        let other = try attach("beta")
        let tick = try md.durationHistogram("tick_seconds", help: "Tick.")
        let send = try orders.durationHistogram("send_seconds", help: "Send.")
        let hedge = try other.histogram("hedge_bps", unit: .bps, help: "Hedge.")
        for order in [254, 255, 256] as [UInt64] {
            for _ in 0..<3 {
                tick.start(trace: order).end()
                send.start(trace: order).end()
                hedge.record(1, at: other.now(), trace: order)
            }
            hedge.record(2)
        }
        let held = try tail("--trace", id, "--from", "oldest", "--count", "9")
        #expect(
            try lines(held).map(\.metric) == (0..<3).flatMap { _ in ["tick_seconds", "send_seconds", "hedge_bps"] })
        let bot = try tail("alpha", "--trace", id, "--from", "oldest", "--count", "8")
        for _ in 0..<2 {
            tick.start(trace: 255).end()
            hedge.record(3, at: other.now(), trace: 255)
        }
        let found = try lines(bot)
        #expect(found.allSatisfy { $0.trace_id?.hasSuffix("00000000000000ff") == true && $0.bot == "alpha" })
        let expected = (0..<3).flatMap { _ in ["md", "orders"] } + ["md", "md"]
        #expect(found.map(\.lane) == expected)
        #expect(found.compactMap(\.time) == found.compactMap(\.time).sorted() && found.compactMap(\.time).count == 8)
    }

    @Test("with --trace a tail begins with the oldest record that the ring holds")
    func traceOfThePast() throws {
        let telemetry = try attach("alpha")
        let spans = try telemetry.durationHistogram("send_seconds", help: "Send.")
        for order in [41, 42, 43] as [UInt64] { spans.start(trace: order).end() }
        let prefix = String(telemetry.trace(42).traceID.high, radix: 16).padded(to: 16)
        for id in ["\(prefix)000000000000002a", "00-\(prefix)000000000000002a-0000000000000001-00"] {
            #expect(try lines(try tail("--trace", id, "--count", "1")).map(\.sequence) == [1])
        }
        let found = try lines(try tail("--trace", "42", "--count", "1"))
        #expect(found.map(\.trace_id) == ["\(prefix)000000000000002a"])
        telemetry.close()
    }

    @Test(
        "a trace that came from another program is found by its 32 digits, by its traceparent and by half of it, in rings and captures"
    )
    func incomingTrace() throws {
        let telemetry = try attach("alpha")
        let spans = try telemetry.durationHistogram("send_seconds", help: "Send.")
        let came = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let other = "00-4bf92f3577b34da7a3ce929d0e0e4736-00f067aa0ba902b8-01"
        var ids: [UInt64] = []
        for text in [came, other] {
            try spans.measure(in: TraceContext(traceparent: text)) { outer in
                ids.append(outer.parentID)
                spans.measure(in: outer) { ids.append($0.parentID) }
            }
        }
        let capture = "\(directory.path)/out.capture"
        #expect(try Tool.run("capture", "alpha", "-o", capture, "--ring-dir", directory.path).exit == .code(0))
        telemetry.close()
        let texts = ids.map { String($0, radix: 16).padded(to: 16) }
        for place in ["alpha", capture] {
            for id in [String(came.dropFirst(3).prefix(32)), came] {
                let found = try lines(try tail(place, "--trace", id, "--from", "oldest"))
                #expect(found.map(\.span_id) == [texts[1], texts[0]])
                #expect(found.map(\.parent_span_id) == [texts[0], "00f067aa0ba902b7"])
                #expect(found.allSatisfy { $0.trace_id == "4bf92f3577b34da6a3ce929d0e0e4736" && $0.trace_lost == nil })
            }
            let half = try lines(try tail(place, "--trace", "a3ce929d0e0e4736", "--from", "oldest"))
            #expect(half.map(\.span_id) == [texts[1], texts[0], texts[3], texts[2]])
            #expect(
                try lines(try tail(place, "--trace", "4bf92f3577b34da8a3ce929d0e0e4736", "--from", "oldest")).isEmpty)
            let dump = try Tool.dump(place == "alpha" ? directory.ring("alpha") : place)
            #expect(dump.damage_count == 0 && dump.records.count == 10)
            #expect(dump.records.map(\.kind).filter { $0 == "trace_context" }.count == 2)
            #expect(dump.records.map(\.kind).filter { $0 == "span_link" }.count == 4)
            let table = try Tool.run("dump", place, "--format", "csv", "-n", "2", "--ring-dir", directory.path)
            let row = table.output.split(separator: "\r\n").dropFirst()
            #expect(
                row.count == 1 && row.first?.hasSuffix(",4bf92f3577b34da7a3ce929d0e0e4736") == true, "\(table.output)")
        }
        let replay = try Tool.run("replay", capture)
        #expect(replay.exit == .code(0) && replay.output.contains("\"drained\":10") && !replay.errors.contains("lost"))
    }

    @Test("a name that no ring has is answered with the rings that there are and the nearest of them")
    func misspelt() throws {
        try attach("alpha").close()
        for verb in ["tail", "dump"] {
            let tool = try Tool.run(verb, "alhpa", "--ring-dir", directory.path)
            #expect(tool.exit == .code(1))
            #expect(tool.errors.contains("did you mean 'alpha'? There is alpha"), "\(tool.errors)")
        }
    }

    @Test("dump shows every lane of a bot that has lanes only")
    func dumpOfLanes() throws {
        try attach("beta.md").close()
        try attach("beta.orders").close()
        let tool = try Tool.run("dump", "beta", "--ring-dir", directory.path)
        #expect(tool.exit == .code(0) && tool.errors == "")
        #expect(tool.output.contains("beta.md") && tool.output.contains("beta.orders"))
    }

    @Test("wrong usage and missing rings are errors")
    func usage() throws {
        for arguments in [
            ["tail"], ["tail", "a b"], ["tail", "alpha", "--from", "then"], ["tail", "alpha", "--count", "0"],
            ["tail", "alpha", "--trace", "0"], ["tail", "alpha", "--trace", "0xx"], ["tail", "alpha", "--trace", "-1"],
            ["tail", "alpha", "--trace", String(repeating: "0", count: 32)], ["tail", "alpha", "--trace", "00-1-2-01"],
            ["tail", "alpha", "--trace", "-f2f3577b34da6a3+e929d0e0e47361"],
        ] {
            let tool = try Tool.run(arguments)
            #expect(tool.exit == .code(2) && tool.output == "" && !tool.errors.isEmpty, "\(arguments)")
        }
        for arguments in [["alpha"], ["--trace", "5"], [directory.path + "/none.capture"]] {
            let tail = try Tool.run(["tail", "--ring-dir", directory.path] + arguments)
            #expect(tail.exit == .code(1) && tail.output == "" && tail.errors.contains(directory.path), "\(arguments)")
        }
    }
}

extension String {
    /// Returns the text with zeros before it.
    func padded(to digits: Int) -> String { String(repeating: "0", count: Swift.max(0, digits - count)) + self }
}
