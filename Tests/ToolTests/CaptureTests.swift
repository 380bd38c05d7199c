import CRingside
import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

@Suite struct CaptureTests {
    private let directory = TemporaryRingDirectory()
    private let output: String

    init() {
        output = directory.path + "/out.capture"
    }

    private func capture(_ ring: String, to output: String) throws -> Tool {
        try Tool.run("capture", ring, "-o", output, "--ring-dir", directory.path)
    }

    @Test("a capture of an idle ring is its bytes, and dumps as the ring does", arguments: [1, 2, 4, 5, 50])
    func closed(laps: Int) throws {
        try withTradingRing("alpha.md", in: directory, laps: laps)
        let ring = RingFile(directory.ring("alpha.md"))
        let tool = try capture("alpha.md", to: output)
        #expect(tool.exit == .code(0) && tool.output == "" && tool.errors.contains("\(min(laps * 4, 15)) records"))
        #expect(CaptureFile(output).image.elementsEqual(ring.bytes()))
        let (captured, direct) = (try Tool.dump(output, "-n", "100"), try Tool.dump(ring.path, "-n", "100"))
        #expect(captured.state == "closed" && captured.damage_count == 0)
        #expect(captured.captured?.ring == "alpha.md" && direct.captured == nil)
        #expect(captured.captured?.first_whole == UInt64(max(0, laps * 4 - 15)))
        #expect(captured.captured?.end_of_whole == UInt64(laps * 4))
        #expect(captured.records.map(\.sequence) == direct.records.map(\.sequence))
        #expect(captured.records.map(\.ticks) == direct.records.map(\.ticks))
        #expect(captured.metrics.map(\.name) == direct.metrics.map(\.name))
        #expect(captured.metrics.map(\.calls) == direct.metrics.map(\.calls))
        for (one, other) in zip(captured.records, direct.records) where one.time != nil {
            #expect((try #require(one.unix_seconds) - (try #require(other.unix_seconds))).magnitude < 1e-3)
        }
    }

    @Test("a capture taken while a bot writes as fast as it can is whole and without a gap")
    func live() throws {
        let writer = FastWriter("alpha", in: directory, capacity: 65536)
        defer { writer.stop() }
        var rows = 0
        try Watchdog.wait(for: "captures with records in them") {
            let tool = try capture("alpha", to: output)
            #expect(tool.exit == .code(0), "\(tool.errors)")
            let dump = try Tool.dump(output, "-n", "0")
            #expect(dump.damage.map(\.line) == [] && dump.state == "up")
            let table = try CSVTable(try Tool.run("dump", output, "--format", "csv").output)
            #expect(UInt64(table.rows.count) == dump.records_held)
            let last = try #require(dump.producer).position
            for (row, sequence) in zip(table.rows, (last - dump.records_held)..<last) {
                #expect(row["sequence"] == "\(sequence)" && row["value"].flatMap(Double.init) == Double(sequence))
                #expect(row["trace_id"].flatMap { UInt64($0.suffix(16), radix: 16) } == FastWriter.trace(of: sequence))
            }
            rows += table.rows.count
            return rows > 100_000
        }
    }

    @Test("a capture is read by a cursor like the ring, from its oldest whole record")
    func cursor() throws {
        try withTradingRing("alpha", in: directory, laps: 10)
        _ = try capture("alpha", to: output)
        var file = CaptureFile(output)
        // Three more records seem to be overwritten while it was taken.
        file.setWord(file.word(at: 40) + 3, at: 40)
        file.sign()
        file.save(as: output)
        let segment = try Capture(path: output).segment()
        var cursor = RingCursor(segment)
        var buffer = [ringside_record](repeating: ringside_record(), count: RingCursor.batchLimit)
        let batch = cursor.read(segment, into: &buffer)
        #expect(batch.firstIndex == 28 && batch.count == 12 && batch.isCaughtUp)
        #expect(cursor.beforeAttach == 28 && cursor.lapped == 0)
        #expect(!segment.isProducerAlive && segment.capture?.state == .closed && segment.name.description == "alpha")
        #expect(try Tool.dump(output, "-n", "99").records.map(\.sequence) == [UInt64](28..<40))
    }

    @Test("a capture is shown the same on every machine")
    func elsewhere() throws {
        try withTradingRing("alpha", in: directory) { _ in
            usleep(20_000)  // long enough for the clocks to tell a tick's length
            _ = try capture("alpha", to: output)
        }
        let here = try Tool.run("dump", output)
        #expect(here.output.contains("captured") && here.output.contains("up, held by"))
        // The capture is made to come from another machine: the boot ids in the envelope and in the ring, and the
        // header's tick rate, are not ours.
        var file = CaptureFile(output)
        for offset in [96, 104, CaptureFile.imageOffset + 48, CaptureFile.imageOffset + 56] {
            file.setWord(0, at: offset)
        }
        file.setWord(1000, at: CaptureFile.imageOffset + 272)
        file.sign()
        file.save(as: output)
        let there = try Tool.run("dump", output)
        func neutral(_ text: String) -> [Substring] {
            text.split(separator: "\n").filter { !$0.hasPrefix("boot id") && !$0.hasPrefix("tick_hz") }
        }
        #expect(neutral(here.output) == neutral(there.output) && there.exit == .code(0))
        #expect(try Tool.dump(output).records[0].time != nil)
    }

    @Test("a damaged ring is captured as it is")
    func damaged() throws {
        try withTradingRing("alpha", in: directory)
        let ring = RingFile(directory.ring("alpha"))
        let sound = ring.bytes()
        for (offset, word) in [(16, UInt64(99)), (ring.header().producer.offset, .max), (184, 1 << 40), (152, 3)] {
            RingFile.make(ring.path, sound)
            ring.write(word, at: offset)
            #expect(try capture("alpha", to: output).exit == .code(0))
            #expect(CaptureFile(output).image.elementsEqual(ring.bytes()))
            #expect(try Tool.dump(output).damage.map(\.line) == Tool.dump(ring.path).damage.map(\.line))
        }
        RingFile.make(ring.path, [UInt8](sound.prefix(20_000)))
        #expect(try capture(ring.path, to: output).exit == .code(0))
        #expect(CaptureFile(output).image.elementsEqual(sound.prefix(20_000)))
    }
}

/// Tests the output file of a capture.
@Suite struct CaptureOutputTests {
    private let directory = TemporaryRingDirectory()

    init() throws {
        try withTradingRing("alpha", in: directory)
    }

    private func capture(_ arguments: String...) throws -> Tool {
        try Tool.run(["capture", "alpha", "--ring-dir", directory.path] + arguments)
    }

    @Test("a file of that name is replaced whole, through a link too, and nothing is left beside it")
    func replaced() throws {
        let output = directory.path + "/out"
        RingFile.make(output, [UInt8](repeating: 1, count: 10_000_000))
        symlink("out", directory.path + "/link")
        #expect(try capture("-o", directory.path + "/link").exit == .code(0))
        #expect(try Tool.dump(output).producer?.position == 4)
        #expect(directory.entries() == ["link", "out", "ringside.alpha"])
    }

    @Test("a capture can go to a program, and to a file that is not regular")
    func streams() throws {
        let tool = ChildProcess.builtProgram("ringside")
        let output = directory.path + "/out"
        let pipe = try ChildProcess([
            "sh", "-c", "\"$0\" capture alpha --ring-dir \"$1\" -o - | cat > \"$1/out\"", tool, directory.path,
        ])
        #expect(try pipe.wait() == .code(0))
        #expect(try Tool.dump(output).records.count == 4)
        #expect(try capture("-o", "/dev/null").exit == .code(0))
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("without -o the capture is named after the ring, in this folder")
    func named() throws {
        let tool = ChildProcess.builtProgram("ringside")
        let child = try ChildProcess([
            "sh", "-c", "cd \"$1\" && \"$0\" capture alpha --ring-dir . && \"$0\" dump alpha.capture", tool,
            directory.path,
        ])
        #expect(try child.wait() == .code(0))
        #expect(child.standardOutput.contains("ring alpha of host"))
        #expect(directory.entries() == ["alpha.capture", "ringside.alpha"])
    }

    @Test("a file that must not or cannot be written is refused, and everything stays as it was")
    func refused() throws {
        let before = RingFile(directory.ring("alpha")).bytes()
        for output in [directory.ring("alpha"), directory.path, directory.path + "/none/out", "/dev/full"] {
            let tool = try capture("-o", output)
            #expect(tool.exit == .code(1) && tool.output == "", "\(output)")
            #expect(tool.errors.hasPrefix("ringside capture: ") && tool.errors.contains(output), "\(output)")
        }
        #expect(RingFile(directory.ring("alpha")).bytes() == before)
        #expect(directory.entries() == ["ringside.alpha"])
        #expect(try Tool.run("capture", "beta", "--ring-dir", directory.path).exit == .code(1))
        #expect(try Tool.run("capture").exit == .code(2))
        #expect(try capture("-o", directory.path + "/out").exit == .code(0))
        let again = try Tool.run("capture", directory.path + "/out", "-o", "-")
        #expect(again.exit == .code(1) && again.output == "" && again.errors.contains("a capture already"))
    }
}
