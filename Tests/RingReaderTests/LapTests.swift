import CRingside
import RingReader
import TestSupport
import Testing

/// Tests the lap of a record: one word that the producer keeps, and renews at a lap's first record.
@Suite struct LapTests {
    /// Expects each record that the ring holds to be that of its index.
    private func expectSound(_ ring: TestRing, written: Range<UInt64>, _ what: String) throws {
        var reader = CheckingReader(try ring.segment())
        reader.readToEnd()
        let capacity = try ring.segment().geometry.capacity
        // A reader cannot know whether the oldest slot is being overwritten.
        let held = min(UInt64(written.count), capacity - 1)
        #expect(reader.outcome.torn == 0 && reader.outcome.delivered >= held, "\(what): \(reader.outcome)")
    }

    @Test(
        "a record's lap is that of its index, wherever the producer goes on, also past the 65,536th lap",
        arguments: [2, 4, 64, 1024] as [UInt32])
    func laps(capacity: UInt32) throws {
        let ring = try TestRing(records: capacity)
        let lap = UInt64(capacity)
        var random = SystemRandomNumberGenerator()
        let starts =
            [0, 1, lap - 1, lap, lap + 1, 65_535 * lap - 1, 65_535 * lap, 65_536 * lap - 1, 65_536 * lap]
            + (0..<20).map { _ in UInt64.random(in: 0..<1 << 40, using: &random) }
        for start in starts {
            ring.jump(to: start)
            let end = start + UInt64.random(in: 1...3 * lap, using: &random)
            for index in start..<end {
                ring.write(index)
                let record = ring.producer.pointee.records[Int(index & (lap - 1))]
                #expect(Pattern.holds(record, index, shift: ring.producer.pointee.shift), "from \(start): \(index)")
            }
            #expect(try ring.segment().position == end)
        }
    }

    @Test("a resumed producer goes on in the midst of a lap", arguments: [2, 8, 64] as [UInt32])
    func resumed(capacity: UInt32) throws {
        let directory = TemporaryRingDirectory()
        var next: UInt64 = 0
        for life in 1...7 {
            let producer = try TestRing.attach(directory.path, capacity, 4)
            let end = next + UInt64(capacity) / 2 + UInt64(life)
            for index in next..<end {
                Pattern.write(index, producer)
                let record = producer.pointee.records[Int(index & producer.pointee.mask)]
                #expect(Pattern.holds(record, index, shift: producer.pointee.shift), "life \(life): \(index)")
            }
            next = end
            ringside_detach(producer)
        }
    }

    @Test("a lap's word that went wrong is right again from the next lap on")
    func heals() throws {
        let ring = try TestRing(records: 8)
        ring.write(0..<11)
        ring.producer.pointee.lap_bits = 77 << 48  // as two threads at once might leave it
        ring.write(11..<40)
        for index in 32..<40 as Range<UInt64> {
            let record = ring.producer.pointee.records[Int(index & 7)]
            #expect(Pattern.holds(record, index, shift: ring.producer.pointee.shift), "\(index)")
        }
    }

    @Test(
        "the cells lie behind the producer's line, whatever a ring's size", arguments: [1, 4, 512, 32_768] as [UInt32])
    func lineBeforeCells(metrics: UInt32) throws {
        let ring = try TestRing(records: 2, metrics: metrics)
        #expect(ringside_line_before(ring.producer.pointee.cells) == ring.producer.pointee.line)
    }
}
