import CRingside
import Glibc
import RingReader
import Synchronization
import TestSupport
import Testing

/// A producer beside readers. With any timing, these are the allowed results:
///
/// | of a record                   | it is                                              |
/// |-------------------------------|----------------------------------------------------|
/// | delivered                     | whole: all four words of its own index             |
/// | not delivered                 | counted: lapped, or before the reader came         |
/// | delivered and counted         | never                                              |
/// | delivered after a later one   | never                                              |
/// | after the last read           | delivered + lapped + before attach = position      |
@Suite(.serialized) struct TwoThreadTests {
    /// Signals between the threads of one test.
    private final class Signals: Sendable {
        let shallStop = Atomic(false)
        let hasStopped = Atomic(false)
    }

    /// Only the thread that runs it emits. The test waits for that thread's end before the ring is detached.
    private struct Producer: @unchecked Sendable {
        let pointer: UnsafeMutablePointer<ringside_producer>
    }

    /// Writes records from the ring's position on, at most `limit`, and lets others run after every `restEvery`.
    private func produce(_ ring: TestRing, limit: UInt64, restEvery: UInt64, _ signals: Signals) -> NativeThread {
        let producer = Producer(pointer: ring.producer)
        return NativeThread {
            var index = producer.pointer.pointee.next
            let end = index &+ limit
            while index != end, !signals.shallStop.load(ordering: .relaxed) {
                Pattern.write(index, producer.pointer)
                index &+= 1
                if index % restEvery == 0 { sched_yield() }
            }
            signals.hasStopped.store(true, ordering: .releasing)
        }
    }

    /// Reads until the producer has stopped, then to the end.
    private static func follow(_ reader: inout CheckingReader, _ signals: Signals) {
        while !signals.hasStopped.load(ordering: .acquiring) { _ = reader.readBatch() }
        reader.readToEnd()
    }

    private func expectSound(_ outcome: CheckingReader.Outcome, position: UInt64, _ what: String) {
        #expect(outcome.torn == 0, "\(what): torn")
        #expect(outcome.disordered == 0, "\(what): out of order")
        #expect(outcome.accounted == position, "\(what): delivered and lost")
        #expect(outcome.resyncs == 0, "\(what): resynced")
    }

    @Test(
        "every record is delivered whole or counted as lost",
        arguments: [2, 4, 8, 64] as [UInt32], [1, 3, 17, 100_000] as [UInt64])
    func outcomes(capacity: UInt32, restEvery: UInt64) throws {
        let ring = try TestRing(records: capacity)
        let segment = try ring.segment()
        var reader = CheckingReader(segment)
        let signals = Signals()
        let thread = produce(ring, limit: 200_000, restEvery: restEvery, signals)
        Self.follow(&reader, signals)
        thread.join()
        #expect(segment.position == 200_000)
        expectSound(reader.outcome, position: 200_000, "capacity \(capacity), rest every \(restEvery)")
    }

    @Test("across the wrap of positions no record is torn or lost uncounted", arguments: [2, 8] as [UInt32])
    func acrossTheWrap(capacity: UInt32) throws {
        let ring = try TestRing(records: capacity)
        ring.jump(to: UInt64.max - 99_999)
        let segment = try ring.segment()
        var reader = CheckingReader(segment, start: .now)
        let signals = Signals()
        let thread = produce(ring, limit: 200_000, restEvery: 5, signals)
        Self.follow(&reader, signals)
        thread.join()
        #expect(segment.position == 100_000)
        expectSound(reader.outcome, position: 200_000, "wrap")
    }

    /// A reader with a mapping and a cursor of its own, on a thread of its own.
    private final class Second: Sendable {
        let outcome = Mutex<CheckingReader.Outcome?>(nil)

        func start(_ path: String, _ signals: Signals) -> NativeThread {
            NativeThread { [self] in
                guard let segment = try? Segment(name: RingName("alpha")!, path: path) else { return }
                var reader = CheckingReader(segment)
                TwoThreadTests.follow(&reader, signals)
                outcome.withLock { $0 = reader.outcome }
            }
        }
    }

    @Test(
        "two readers beside a producer at full speed on a tiny ring, for two seconds", arguments: [2, 16] as [UInt32])
    func stress(capacity: UInt32) throws {
        let ring = try TestRing(records: capacity)
        let path = ring.path
        let signals = Signals()
        let second = Second()
        let segment = try ring.segment()
        var reader = CheckingReader(segment)
        let threads = [
            produce(ring, limit: .max, restEvery: 1 << 12, signals), second.start(path, signals),
            NativeThread {
                sleep(2)
                signals.shallStop.store(true, ordering: .relaxed)
            },
        ]
        Self.follow(&reader, signals)
        threads.forEach { $0.join() }
        expectSound(reader.outcome, position: segment.position, "first reader")
        let outcome = try #require(second.outcome.withLock { $0 })
        expectSound(outcome, position: segment.position, "second reader")
        #expect(reader.outcome.delivered > 0 && outcome.delivered > 0)
    }
}
