import CRingside
import RingReader
import TestSupport
import Testing

/// One clock for the records of several rings.
@Suite struct MachineClockTests {
    /// Returns every record of a ring, explained by a machine's clock.
    private func explained(_ segment: Segment, _ clock: MachineClock) -> [RecordContext.Explained] {
        var context = RecordContext(segment)
        context.refresh(segment, monotonicNanoseconds: ringside_monotonic_ns(), machine: clock)
        var found: [RecordContext.Explained] = []
        segment.forEachRecord(from: 0, to: segment.position) { _, content in
            if let record = try? content.get() { found.append(context.explain(record)) }
        }
        return found
    }

    private func write(_ ring: TestRing, _ count: Int) throws {
        let id = try ring.register("x")
        for value in 0..<count {
            ringside_value_at(ring.producer, id, Double(value), ringside_now(ring.producer), 0)
        }
    }

    @Test("records of two rings lie in one order by their ticks and by the times that are shown of them")
    func order() throws {
        let rings = [try TestRing(records: 1024), try TestRing(records: 1024)]
        let ids = try rings.map { try $0.register("x") }
        for value in 0..<1000 {
            let ring = value % 2
            ringside_value_at(rings[ring].producer, ids[ring], Double(value), ringside_now(rings[ring].producer), 0)
        }
        let clock = MachineClock()
        let segments = try rings.map { try $0.segment() }
        clock.refresh(monotonicNanoseconds: ringside_monotonic_ns(), lives: segments.flatMap { $0.lives() })
        let both = segments.map { explained($0, clock) }
        let merged = (0..<1000).map { both[$0 % 2][$0 / 2] }
        let ticks = try merged.map { try #require($0.machineTicks) }
        let times = try merged.map { try #require($0.unixNanoseconds) }
        #expect(ticks == ticks.sorted() && times == times.sorted())
        #expect(ticks == merged.compactMap(\.record.timeTicks))
        // The times are converted there and back. A tick is a nanosecond at most.
        let margin = max(2, clock.ticks(ofNanoseconds: 2))
        for (ticks, time) in zip(ticks, times) {
            #expect((clock.ticks(atUnixNanoseconds: time) - Int64(ticks)).magnitude <= UInt64(margin))
        }
    }

    @Test("a life whose anchor does not fit the machine's clock keeps a clock of its own", arguments: [-10.0, 10, 1e6])
    func otherClock(secondsOff: Double) throws {
        let ring = try TestRing(records: 64)
        try write(ring, 10)
        let file = RingFile(ring.path)
        let anchor = file.header().lives.offset + UInt64(MemoryLayout<ringside_life>.offset(of: \.anchor_ticks)!)
        let clock = MachineClock()
        let segment = try ring.segment()
        clock.refresh(monotonicNanoseconds: ringside_monotonic_ns(), lives: segment.lives())
        #expect(explained(segment, clock).allSatisfy { $0.machineTicks == $0.record.timeTicks })
        let off = UInt64(bitPattern: Int64(secondsOff * ringside_clock_ticks_per_second()))
        file.write(file.read(at: anchor, as: UInt64.self) &+ off, at: anchor)
        let own = explained(segment, clock)
        #expect(own.count == 10 && own.allSatisfy { $0.machineTicks == nil && $0.unixNanoseconds != nil })
    }

    @Test("a time too far away to express in ticks saturates")
    func farAway() {
        let clock = MachineClock()
        #expect(clock.ticks(atUnixNanoseconds: .max) > clock.nowTicks)
        #expect(clock.ticks(atUnixNanoseconds: .min) < clock.nowTicks)
        #expect(clock.ticks(ofNanoseconds: .max) > 0 && clock.ticks(ofNanoseconds: .min) < 0)
    }
}
