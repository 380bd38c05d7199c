import CRingside
import FoundationEssentials
import Glibc
import Ringside
import TestSupport
import Testing

@Suite struct DumpTests {
    private let directory = TemporaryRingDirectory()

    @Test("dump shows every metric of a closed ring with its cell, by kind")
    func metrics() throws {
        try withTradingRing("alpha", in: directory, laps: 2)
        let dump = try Tool.dump(directory.ring("alpha"))
        #expect(dump.state == "closed" && dump.damage_count == 0)
        #expect(dump.header.version == "1.1" && dump.header.this_boot == true && dump.header.capacity == 16)
        let producer = try #require(dump.producer)
        #expect(producer.position == 8 && producer.metric_count == 6 && producer.closed)
        #expect(dump.metrics.map(\.kind) == ["counter", "up_down_counter", "gauge", "gauge", "histogram", "histogram"])
        #expect(dump.metrics.map(\.value) == [6, 2, -12.5, nil, nil, nil])
        #expect(dump.metrics.map(\.max) == [nil, 3, -12.5, nil, nil, nil])
        #expect(dump.metrics.map(\.calls) == [nil, nil, nil, nil, 6, 2])
        #expect(dump.metrics.map(\.abandoned) == [nil, nil, nil, nil, 2, 0])
        #expect(dump.metrics.map(\.unit) == ["", "", "usd", "ratio", "seconds", "bps"])
        #expect(dump.metrics[0].labels == ["symbol": "BTC-USDT"])
        #expect(dump.metrics.allSatisfy { $0.life == 1 && $0.control == "all" })
        #expect(dump.lives.map(\.labels) == [["venue": "test"]])
        #expect(dump.lives[0].pid == Int(getpid()))
    }

    @Test("records are decoded into the metric's unit and the time of their clock")
    func records() throws {
        let before = unixNow()
        try withTradingRing("alpha", in: directory)
        let after = unixNow()
        let dump = try Tool.dump(directory.ring("alpha"))
        #expect(dump.records.map(\.sequence) == [0, 1, 2, 3])
        #expect(dump.records.map(\.name) == ["decide_seconds", "decide_seconds", "slippage_bps", "decide_seconds"])
        #expect(dump.records.map(\.failed) == [false, true, false, false])
        #expect(dump.records.map(\.encoding) == ["ticks", "ticks", "number", "nanoseconds"])
        #expect(dump.records.allSatisfy { $0.weight == 1 && $0.trace_id == nil })
        let span = try #require(dump.records[0].value)
        #expect((span * TickClock.ticksPerSecond / 28_000 - 1).magnitude < 1e-3)
        #expect(dump.records[2].value == -0.25 && dump.records[3].value == 1.5e-6)
        for record in dump.records.prefix(2) {
            // A step may set the calendar's clock and the ring's clock a second apart.
            #expect((before - 1...after + 1).contains(try #require(record.unix_seconds)))
            #expect(try #require(record.time).hasSuffix("Z"))
        }
        #expect(dump.records[2].time == nil)
    }

    @Test("the last records asked for are shown, and a ring that has wrapped holds one less than its capacity")
    func lastRecords() throws {
        try withTradingRing("alpha", in: directory, laps: 100)
        let some = try Tool.dump(directory.ring("alpha"), "--records", "3")
        #expect(some.records.map(\.sequence) == [397, 398, 399])
        let all = try Tool.dump(directory.ring("alpha"), "-n", "1000")
        #expect(all.records.map(\.sequence) == [UInt64](385...399))
        #expect(all.records_held == 15 && all.damage_count == 0)
        #expect(try Tool.dump(directory.ring("alpha"), "-n", "0").records.isEmpty)
    }

    @Test("a record is read by the life that wrote it")
    func lives() throws {
        for laps in 1...3 { try withTradingRing("alpha", in: directory, capacity: 64, laps: laps) }
        let dump = try Tool.dump(directory.ring("alpha"), "-n", "100")
        #expect(dump.lives.map(\.number) == [1, 2, 3])
        #expect(dump.lives.map(\.first_position) == [0, 4, 12])
        #expect(dump.damage_count == 0)
        let times = dump.records.compactMap(\.unix_seconds)
        #expect(times.count == 12 && times == times.sorted())
        // The second life's clock is moved by a day, which moves only the records of that life.
        let file = RingFile(directory.ring("alpha"))
        let anchor = file.header().lives.offset + 256 + 24
        file.write(file.read(at: anchor, as: UInt64.self) - 86_400_000_000_000, at: anchor)
        let moved = try Tool.dump(directory.ring("alpha"), "-n", "100").records.compactMap(\.unix_seconds)
        for (index, (time, movedTime)) in zip(times, moved).enumerated() {
            #expect((time - movedTime - ((2..<6).contains(index) ? 86_400 : 0)).magnitude < 1e-3)
        }
    }

    @Test("a ring copied to another machine is read by the tick rate in its header, or shows ticks without one")
    func otherMachine() throws {
        try withTradingRing("alpha", in: directory)
        let path = directory.path + "/copy"
        RingFile.make(path, RingFile(directory.ring("alpha")).bytes())
        let copy = RingFile(path)
        copy.write(UInt64(0x1234), at: 48)  // boot id
        copy.write(UInt32(RINGSIDE_CLOCK_TSC.rawValue), at: copy.header().lives.offset + 32)
        copy.write(UInt64(1_000_000_000), at: 272)  // tick_hz
        let dump = try Tool.dump(path)
        #expect(dump.header.this_boot == false && dump.state == "closed")
        #expect(dump.records[0].value == 28e-6)
        copy.write(UInt64(0), at: 272)
        let unknown = try Tool.dump(path)
        #expect(unknown.records[0].value == nil && unknown.records[0].time == nil)
        #expect(unknown.records[0].ticks == dump.records[0].ticks)
        let text = try Tool.run("dump", path).output
        #expect(text.contains("28000 ticks") && text.contains("(unknown)"))
    }

    @Test("a ring that is held can be dumped while it is written, and no whole record is called damaged")
    func live() throws {
        try withTradingRing("alpha", in: directory, capacity: 64) { telemetry in
            let histogram = try telemetry.histogram("x_bps", unit: .bps, help: "X.")
            for _ in 0..<5 {
                let child = try ChildProcess([
                    ChildProcess.builtProgram("ringside"), "dump", directory.ring("alpha"), "--format", "json",
                ])
                try Watchdog.wait(for: "the dump") {
                    for k in 0..<1000 { histogram.record(Double(k)) }
                    return child.hasEnded()
                }
                let dump = try JSONDecoder().decode(DumpDocument.self, from: Data(child.standardOutput.utf8))
                #expect(dump.state == "up")
                #expect(dump.damage.map(\.line) == [])
            }
        }
    }

    @Test("a file that is not a ring is status 1, with the reason on standard error alone")
    func noRing() throws {
        let file = directory.path + "/text"
        RingFile.make(
            file, [UInt8]("not a ring at all, and longer than a header".utf8) + [UInt8](repeating: 0, count: 600))
        for arguments in [
            ["dump", "nosuch", "--ring-dir", directory.path], ["dump", file], ["dump", directory.path + "/"],
        ] {
            let tool = try Tool.run(arguments)
            #expect(tool.exit == .code(1) && tool.output == "", "\(arguments)")
            #expect(tool.errors.hasPrefix("ringside dump: ") && tool.errors.contains(directory.path), "\(arguments)")
        }
    }

    @Test("a terminal's escape sequences in a ring are shown and not sent")
    func escapes() throws {
        try withTradingRing("alpha", in: directory, labels: ["venue": "x\u{1B}[31m\u{202E}\u{7}"])
        let tool = try Tool.run("dump", directory.ring("alpha"))
        #expect(tool.output.contains(#"venue="x\u{1b}[31m\u{202e}\u{7}""#))
        #expect(!tool.output.contains("\u{1B}"))
        #expect(try Tool.dump(directory.ring("alpha")).lives[0].labels["venue"] == "x\u{1B}[31m\u{202E}\u{7}")
    }

    private func unixNow() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
