import Platform
import Collector
import Drain
import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// More rings than the collector has descriptors for.
@Suite struct FewDescriptorsTests {
    private let directory = TemporaryRingDirectory()

    private func attach(_ name: String) throws -> Telemetry {
        try Telemetry.attach(
            name, options: AttachOptions(directory: directory.path, capacityRecords: 64, metricCapacity: 8))
    }

    private func write(_ count: Int, _ telemetry: borrowing Telemetry) throws {
        let total = try telemetry.counter("writes_total", help: "Records.")
        let values = try telemetry.histogram("pattern", help: "Values.")
        for value in 0..<count {
            total.increment()
            values.record(Double(value), at: telemetry.now())
        }
    }

    /// The descriptors of this process that are open on a ring of the directory for reading only.
    private var heldByCollector: Int {
        let numbers = (try? RingDirectory(path: "/proc/self/fd").fileNames()) ?? []
        return numbers.count { number in
            var buffer = [CChar](repeating: 0, count: 1024)
            let count = readlink("/proc/self/fd/\(number)", &buffer, buffer.count)
            let target = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard target.hasPrefix("\(directory.path)/ringside."), let descriptor = Int32(number) else { return false }
            return fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDONLY
        }
    }

    @Test(
        "rings beyond those that may keep a descriptor are read like the others, and their bots' coming and going is seen"
    )
    func read() throws {
        let collector = try CollectorHarness(directory, descriptors: DescriptorBudget(connections: 4, rings: 2))
        let first = try attach("a1")
        let second = try attach("a2")
        let third = try attach("a3")
        let fourth = try attach("a4")
        try write(10, first)
        try write(20, second)
        try write(30, third)
        try write(40, fourth)
        var snapshot = try collector.settle()
        for (bot, total) in [("a1", 10), ("a2", 20), ("a3", 30), ("a4", 40)] as [(String, UInt64)] {
            #expect(snapshot.counter("writes_total", of: bot) == total && snapshot.ring(of: bot)?.drained == total)
            #expect(snapshot.bot(bot)?.isUp == true)
        }
        #expect(heldByCollector == 2)
        #expect(collector.said("more rings than descriptors", "descriptors_for_rings=2"))

        // Two bots end. Both ends are noticed, whether the descriptors of the rings are kept or not.
        try write(5, third)
        third.close()
        first.close()
        snapshot = try collector.turn(until: "the end of two") {
            $0.bot("a1")?.isUp == false && $0.bot("a3")?.isUp == false
        }
        #expect(snapshot.counter("writes_total", of: "a3") == 35 && snapshot.bot("a4")?.isUp == true)
        let again = try attach("a3")
        try write(1, again)
        snapshot = try collector.turn(until: "the return of one") { $0.bot("a3")?.isUp == true }
        snapshot = try collector.settle()
        #expect(snapshot.counter("writes_total", of: "a3") == 36)

        // One ring is removed after its end, and another ring gets its descriptor.
        unlink(directory.ring("a1"))
        try collector.turn(until: "a descriptor for another") { _ in heldByCollector == 2 }
        snapshot = try collector.settle()
        #expect(snapshot.counter("writes_total", of: "a1") == 10 && snapshot.counter("writes_total", of: "a4") == 40)
        again.close()
        fourth.close()
        second.close()
    }

    @Test("a ring without a descriptor that is removed, replaced or truncated is drained, and does no harm")
    func removed() throws {
        let collector = try CollectorHarness(directory, descriptors: DescriptorBudget(connections: 4, rings: 0))
        let first = try attach("b1")
        let second = try attach("b2")
        let third = try attach("b3")
        try write(10, first)
        try write(10, second)
        try write(10, third)
        _ = try collector.settle()
        #expect(heldByCollector == 0)
        try write(2, first)
        unlink(directory.ring("b1"))
        var snapshot = try collector.turn(until: "an end of the ring") { $0.bot("b1")?.isUp == false }
        #expect(snapshot.counter("writes_total", of: "b1") == 12)
        unlink(directory.ring("b2"))
        let successor = try attach("b2")
        try write(3, successor)
        snapshot = try collector.turn(until: "the successor's records") { $0.counter("writes_total", of: "b2") == 13 }
        #expect(truncate(directory.ring("b3"), 4096) == 0)
        snapshot = try collector.turn(until: "a quarantine") { _ in collector.said("ring quarantined", "ring=b3") }
        #expect(snapshot.counter("writes_total", of: "b2") == 13)
        successor.close()
        second.close()
        first.close()
        // Its own file was cut, so its close would write into memory that no longer exists.
        _ = consume third
    }

    @Test("a ring that is not read is reported with its reason for as long as it is not")
    func unread() throws {
        RingFile.make(directory.ring("junk"), [UInt8](repeating: 0x5a, count: 300_000))
        let collector = try CollectorHarness(directory)
        var snapshot = try collector.settle()
        #expect(snapshot.collector.skippedRings.map(\.ring) == ["junk"])
        #expect(snapshot.collector.skippedRings.first?.detail.contains("is not a ring") == true)
        unlink(directory.ring("junk"))
        snapshot = try collector.turn(until: "nothing left out") { $0.collector.skippedRings.isEmpty }
    }
}
