import CRingside
import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

@Suite struct AttachTests {
    private let directory = TemporaryRingDirectory()

    @Test("a ring of default geometry holds 131,072 records and 512 metrics in less than 4.5 MiB")
    func defaults() throws {
        let telemetry = try directory.attach(records: nil)
        let segment = try directory.segment()
        #expect(segment.geometry.capacity == 131_072)
        #expect(segment.geometry.metrics.itemCount == 512)
        #expect(segment.geometry.segmentBytes < 4_718_592)
        #expect(segment.position == 0 && segment.metricCount == 0 && segment.lifeCount == 1)
        let path = telemetry.path
        #expect(path == directory.ring("alpha"))
        #expect(directory.entries() == ["ringside.alpha"])
    }

    @Test("a clean close leaves the file, marks it, and frees the name")
    func close() throws {
        let telemetry = try directory.attach()
        let segment = try directory.segment()
        #expect(segment.isProducerAlive && !segment.isClosed)
        telemetry.close()
        #expect(!segment.isProducerAlive && segment.isClosed)
        #expect(directory.entries() == ["ringside.alpha"])
        #expect(directory.refusal() == nil)
    }

    @Test("dropping a handle that has given no instrument closes like close()")
    func drop() throws {
        do { _ = try directory.attach() }
        let segment = try directory.segment()
        #expect(!segment.isProducerAlive && segment.isClosed)
    }

    @Test("instruments of a dropped handle go on, until the process attaches the ring again", arguments: [false, true])
    func dropWithInstruments(isFresh: Bool) throws {
        func makeCounter() throws -> Counter { try directory.attach().counter("hits_total", help: "") }
        let first = try makeCounter()
        first.increment()
        let old = try directory.segment()
        #expect(old.isProducerAlive && !old.isClosed && old.cell(0).first == 1)
        let telemetry = try directory.attach(mode: isFresh ? .fresh : .resume)
        let second = try telemetry.counter("hits_total", help: "")
        first.increment(by: 1000)
        second.increment()
        #expect(try directory.segment().cell(of: "hits_total").first == (isFresh ? 1 : 2))
        #expect(old.cell(0).first == (isFresh ? 1 : 2) && old.isClosed == isFresh)
        #expect(directory.refusal()?.reason == .alreadyAttached(pid: getpid()))
        telemetry.close()
    }

    @Test("closing a ring whose file was truncated meanwhile harms nobody")
    func truncated() throws {
        let telemetry = try directory.attach()
        _ = try telemetry.counter("hits_total", help: "")
        #expect(truncate(directory.ring("alpha"), 512) == 0)
        telemetry.close()
        #expect(directory.file().bytes().count == 512)
        #expect(directory.refusal() == nil)
    }

    @Test("a process that ends in an orderly way closes its rings, whatever has become of the handle")
    func orderlyEnd() throws {
        let child = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "attach", "alpha", "records=3", "leave"],
            environment: ["RINGSIDE_DIR": directory.path])
        #expect(try child.wait() == .code(0))
        let segment = try directory.segment()
        #expect(segment.isClosed && !segment.isProducerAlive && segment.position == 3)
    }

    @Test("a bot that loops for ever without its handle keeps its ring, and its death is no clean close")
    func endlessLoop() throws {
        let child = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "loop", "alpha"], environment: ["RINGSIDE_DIR": directory.path])
        _ = try child.line(beginning: "looping")
        let segment = try directory.segment()
        let before = try segment.cell(of: "probe_total").first
        try Watchdog.wait(for: "the loop to count on") { try segment.cell(of: "probe_total").first > before + 10 }
        #expect(segment.isProducerAlive)
        child.send(SIGKILL)
        try child.wait()
        #expect(!segment.isProducerAlive && !segment.isClosed)
    }

    @Test("a life records which process lives it")
    func life() throws {
        let before = monotonicNanoseconds()
        let telemetry = try Telemetry.attach(
            "alpha", options: directory.options(labels: ["venue": "test", "account": "a1"]))
        let life = try #require(directory.segment().life(1))
        #expect(life.pid == getpid() && life.pidNamespace == ringside_pid_namespace())
        #expect(life.firstPosition == 0 && life.clock != .none && life.processStartTicks > 0)
        #expect((before...monotonicNanoseconds()).contains(life.anchorMonotonicNanoseconds))
        #expect(life.labels.map { "\($0.name)=\($0.value)" } == ["account=a1", "venue=test"])
        #expect(life.callCostPicoseconds.count == 6 && life.callCostPicoseconds.allSatisfy { $0 > 0 })
        let now = telemetry.now()
        #expect(now.ticks >= life.anchorTicks)
    }

    @Test("a closed ring goes on: position, counters and ring id stay, and a life is added")
    func resume() throws {
        let first = try directory.attach()
        let values = try first.histogram("value", help: "")
        for value in 0..<5 { values.record(Double(value)) }
        try first.counter("hits_total", help: "").increment(by: 41)
        let ringID = try directory.segment().ringID
        first.close()

        let second = try directory.attach()
        try second.counter("hits_total", help: "").increment()
        try second.histogram("value", help: "").record(5)
        let segment = try directory.segment()
        #expect(segment.ringID == ringID)
        #expect(segment.position == 6 && segment.records().map(\.number) == [0, 1, 2, 3, 4, 5])
        #expect(try segment.cell(of: "hits_total").first == 42)
        #expect(segment.lives().map(\.firstPosition) == [0, 5])
        #expect(segment.metricCount == 2 && !segment.isClosed)
    }

    @Test("the ring of a killed producer goes on the same way")
    func resumeAfterDeath() throws {
        let child = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "attach", "alpha", "records=100", "nap"],
            environment: ["RINGSIDE_DIR": directory.path, "RINGSIDE_CAPACITY": "1024"])
        _ = try child.line(beginning: "ready")
        child.send(SIGKILL)
        #expect(try child.wait() == .signal(SIGKILL))
        let segment = try directory.segment()
        #expect(!segment.isProducerAlive && !segment.isClosed)
        let telemetry = try directory.attach()
        #expect(segment.lifeCount == 2 && segment.position == 100 && segment.isProducerAlive)
        telemetry.close()
    }

    @Test("the newest lives stay recorded, and the oldest make room")
    func manyLives() throws {
        for _ in 0..<40 { try directory.attach(records: 2).close() }
        let segment = try directory.segment()
        let numbers = segment.lives().map(\.number)
        #expect(segment.lifeCount == 40)
        #expect(numbers.last == 40 && numbers == Array((41 - UInt64(numbers.count))...40) && numbers.count >= 8)
        #expect(segment.life(0) == nil && segment.life(1) == nil && segment.life(41) == nil)
    }

    @Test("fresh replaces the ring under its name, and a reader of the old one has it to its end")
    func fresh() throws {
        let first = try directory.attach()
        try first.histogram("value", help: "").record(1)
        first.close()
        let old = try directory.segment()
        let second = try directory.attach(mode: .fresh)
        let new = try directory.segment()
        #expect(new.ringID != old.ringID && new.position == 0 && new.metricCount == 0)
        #expect(old.fileState?.isUnlinked == true && !old.isProducerAlive && old.records().map(\.number) == [1])
        #expect(directory.entries() == ["ringside.alpha"])
        second.close()
    }

    @Test("a ring of another geometry is replaced", arguments: [(2048, 512), (1024, 7)])
    func otherGeometry(records: Int, metrics: Int) throws {
        try directory.attach().close()
        let old = try directory.segment().ringID
        let telemetry = try directory.attach(records: records, metrics: metrics)
        let segment = try directory.segment()
        #expect(segment.ringID != old && Int(segment.geometry.capacity) == records)
        #expect(segment.geometry.metrics.itemCount == metrics)
        telemetry.close()
    }

    /// A word of the header that was overwritten.
    enum Damage: CaseIterable {
        case boot, minorVersion, majorVersion, segmentBytes, metricCount, textUsed, region, nameText, helpText,
            lifeLabels
    }

    @Test("a ring that cannot be resumed is replaced, and its contents are never followed", arguments: Damage.allCases)
    func replaced(damage: Damage) throws {
        let first = try Telemetry.attach("alpha", options: directory.options(labels: ["venue": "test"]))
        _ = try first.counter("hits_total", help: "Hits.", labels: ["side": "buy"])
        first.close()
        let file = directory.file()
        let header = file.header()
        let old = try directory.segment().ringID
        let outside = UInt64(0x0001_0008_ffff_fff0)  // a text that leads out of the arena and of the file
        switch damage {
        case .boot: file.write(~header.boot_id.0, at: 48)
        case .minorVersion: file.write(UInt32(RINGSIDE_ABI_VERSION + 1), at: 12)
        case .majorVersion: file.write(UInt32(RINGSIDE_ABI_VERSION + 0x10000), at: 12)
        case .segmentBytes: file.write(UInt64.max, at: 16)
        case .metricCount: file.write(UInt64.max, at: header.producer.offset + 8)
        case .textUsed: file.write(UInt64.max, at: 264)
        case .region: file.write(UInt64.max - 7, at: 168)
        case .nameText: file.write(outside + 2, at: header.metrics.offset + 8)
        case .helpText: file.write(outside - 3, at: header.metrics.offset + 16)
        case .lifeLabels: file.write(UInt64(0x0001_000c_ffff_fff0), at: header.lives.offset + 56)
        }
        let second = try Telemetry.attach("alpha", options: directory.options(labels: ["venue": "test"]))
        try second.counter("hits_total", help: "Hits.", labels: ["side": "buy"]).increment()
        let segment = try directory.segment()
        #expect(segment.ringID != old || damage == .lifeLabels)
        #expect(try segment.cell(of: "hits_total").first == 1)
        second.close()
    }

    @Test("the smallest and a large ring work", arguments: [2, 1 << 20])
    func capacities(records: Int) throws {
        let telemetry = try directory.attach(records: records, metrics: 1)
        let values = try telemetry.histogram("value", help: "")
        for value in 0..<5 { values.record(Double(value)) }
        let segment = try directory.segment()
        #expect(segment.position == 5)
        #expect(segment.records().last?.number == 4)
        telemetry.close()
    }

    @Test("a ring's file is for its owner and its group, whatever the umask", arguments: ["000", "077"])
    func mode(umask: String) throws {
        let probe = ChildProcess.builtProgram("RingProbe")
        let child = try ChildProcess(
            ["sh", "-c", "umask \(umask); exec \"$0\" attach alpha", probe],
            environment: ["RINGSIDE_DIR": directory.path])
        #expect(try child.wait() == .code(0), "\(child.standardOutput)\(child.standardError)")
        var status = stat()
        #expect(stat(directory.ring("alpha"), &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o640)
    }

    @Test("signals during an attach do not fail it")
    func signals() throws {
        let child = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "signals", "alpha"],
            environment: ["RINGSIDE_DIR": directory.path, "RINGSIDE_CAPACITY": "2097152"])
        #expect(try child.wait() == .code(0))
        #expect(child.lines.last == "attached 10 times", "\(child.standardOutput)\(child.standardError)")
    }
}
