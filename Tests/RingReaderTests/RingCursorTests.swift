import CRingside
import RingReader
import TestSupport
import Testing

@Suite struct RingCursorTests {
    @Test("a reader that keeps up has every record, whole and in order", arguments: [2, 4, 8, 1024] as [UInt32])
    func keepsUp(capacity: UInt32) throws {
        let ring = try TestRing(records: capacity)
        let segment = try ring.segment()
        var reader = CheckingReader(segment)
        for index in 0..<UInt64(capacity) * 5 {
            ring.write(index)
            let isCaughtUp = reader.readBatch()
            #expect(isCaughtUp)
        }
        #expect(reader.delivered == UInt64(capacity) * 5 && reader.cursor.lapped == 0)
        #expect(reader.torn == 0 && reader.disordered == 0 && reader.cursor.backlog(segment) == 0)
    }

    @Test("a reader that comes late has the newest, and counts what was overwritten as before its attach")
    func comesLate() throws {
        let ring = try TestRing(records: 8)
        for written in [0, 1, 7, 8, 9, 100] as [UInt64] {
            ring.jump(to: 0)
            ring.write(0..<written)
            var reader = CheckingReader(try ring.segment())
            reader.readToEnd()
            // The slot of record written - 8 may be in the middle of a write, so seven records are certain.
            #expect(reader.delivered == min(written, 7) && reader.torn == 0)
            #expect(reader.cursor.beforeAttach == written - reader.delivered)
        }
    }

    /// The number of records between reader and producer, and the loss of the reader: an eighth is left to the
    /// producer.
    static let backlogs: [(backlog: UInt64, lost: UInt64)] = [
        (0, 0), (1, 0), (63, 0), (64, 8), (65, 9), (100, 44), (1000, 944), (1 << 40, (1 << 40) - 56),
    ]

    @Test("overwritten records are counted exactly", arguments: backlogs)
    func lapped(backlog: UInt64, lost: UInt64) throws {
        let ring = try TestRing(records: 64)
        let segment = try ring.segment()
        ring.write(0..<10)
        var reader = CheckingReader(segment)
        reader.readToEnd()
        let end = 10 &+ backlog
        let shown = min(backlog, 64)
        ring.jump(to: end - shown)
        ring.write(end - shown..<end)
        #expect(reader.cursor.backlog(segment) == backlog)
        reader.readToEnd()
        #expect(reader.cursor.lapped == lost && reader.delivered == 10 + backlog - lost)
        #expect(reader.accounted == end && reader.torn == 0 && reader.cursor.resyncs == 0)
    }

    @Test("a reader counts from where it begins")
    func starts() throws {
        let ring = try TestRing(records: 64)
        ring.write(0..<40)
        let segment = try ring.segment()
        for (start, next): (RingCursor.Start, UInt64) in [
            (.oldest, 0), (.now, 40), (.position(17), 17), (.position(40), 40),
        ] {
            var reader = CheckingReader(segment, start: start)
            #expect(reader.cursor.next == next)
            reader.readToEnd()
            #expect(reader.delivered == 40 - next && reader.accounted == 40 - next && reader.cursor.resyncs == 0)
        }
    }

    @Test("a jump backwards is counted, and nothing is delivered twice whatever the position says then")
    func backwards() throws {
        let ring = try TestRing(records: 64)
        ring.write(0..<50)
        let segment = try ring.segment()
        var reader = CheckingReader(segment)
        reader.readToEnd()
        for position in [49, 20, 0] as [UInt64] {
            ring.jump(to: position)
            #expect(reader.cursor.backlog(segment) == 0)
            reader.readToEnd()
            #expect(reader.delivered == 50 && reader.cursor.next == 50)
        }
        #expect(reader.cursor.resyncs == 3)
        // The producer never reads the word, so it goes on from its own position.
        ring.jump(to: 50)
        ring.write(50..<55)
        reader.readToEnd()
        #expect(reader.delivered == 55 && reader.torn == 0 && reader.disordered == 0)
    }

    @Test("a life that begins below what was read is read from its beginning")
    func lifeBelow() throws {
        let ring = try TestRing(records: 64)
        ring.write(0..<50)
        var reader = CheckingReader(try ring.segment())
        reader.readToEnd()
        ring.jump(to: 20)
        reader.readToEnd()
        ring.write(20..<30)
        reader.readToEnd()
        #expect(reader.delivered == 50)
        reader.cursor.beginLife(at: 20)
        reader.readToEnd()
        #expect(reader.delivered == 60 && reader.torn == 0)
    }

    @Test("a jump forwards that is taken back costs no whole record after it")
    func forwardsAndBack() throws {
        let ring = try TestRing(records: 64)
        ring.write(0..<10)
        let segment = try ring.segment()
        var cursor = RingCursor(segment)
        var delivered: [UInt64] = []
        func read() {
            withUnsafeTemporaryAllocation(of: ringside_record.self, capacity: RingCursor.batchLimit) { buffer in
                let records = buffer.baseAddress!
                let batch = cursor.read(segment, into: records)
                for place in 0..<batch.count {
                    let index = batch.firstIndex &+ UInt64(place)
                    let record = records + batch.offset + place
                    if ringside_record_is_valid(record, index, segment.geometry.shift) != 0 { delivered.append(index) }
                }
            }
        }
        read()
        ring.jump(to: 1000)
        read()
        ring.jump(to: 10)
        ring.write(10..<20)
        read()
        ring.write(20..<30)
        read()
        #expect(delivered == Array(0..<30))
    }

    @Test("a position that goes back for a moment and returns brings no record a second time")
    func momentarily() throws {
        let ring = try TestRing(records: 64)
        ring.write(0..<50)
        let segment = try ring.segment()
        var reader = CheckingReader(segment)
        for end in [50, 51, 80, 200] as [UInt64] {
            reader.readToEnd()
            // These are published, and not yet read when the word is overwritten.
            ring.write(ring.producer.pointee.next..<end)
            for position in [end - 7, 1, 0] {
                RingFile(ring.path).setPosition(position)
                reader.readToEnd()
            }
            RingFile(ring.path).setPosition(end)
            reader.readToEnd()
            #expect(reader.accounted == end && reader.cursor.next == end, "\(end)")
        }
        #expect(reader.torn == 0 && reader.disordered == 0)
    }

    @Test("a stored position from a longer ring is answered by starting over, once")
    func keptPlace() throws {
        let ring = try TestRing(records: 64)
        ring.write(0..<10)
        var reader = CheckingReader(try ring.segment(), start: .position(1000))
        reader.readToEnd()
        #expect(reader.cursor.resyncs == 1 && reader.delivered == 0 && reader.cursor.next == 10)
        ring.write(10..<12)
        reader.readToEnd()
        #expect(reader.delivered == 2 && reader.cursor.resyncs == 1)
    }

    @Test("a jump forwards faster than a record a nanosecond is counted as damage")
    func tooFast() throws {
        let ring = try TestRing(records: 64)
        let segment = try ring.segment()
        var cursor = RingCursor(segment)
        withUnsafeTemporaryAllocation(of: ringside_record.self, capacity: RingCursor.batchLimit) { buffer in
            ring.write(0..<10)
            _ = cursor.read(segment, into: buffer.baseAddress!, elapsedNanoseconds: 1000)
            ring.jump(to: 10 + 5_000_000)
            let batch = cursor.read(segment, into: buffer.baseAddress!, elapsedNanoseconds: 1000)
            #expect(batch.count == 0 && batch.lost == 5_000_000 && batch.isCaughtUp)
            #expect(cursor.corrupt == 5_000_000 && cursor.lapped == 0 && cursor.resyncs == 1)
            ring.jump(to: 10 + 10_000_000)
            let plausible = cursor.read(segment, into: buffer.baseAddress!, elapsedNanoseconds: 10_000_000)
            #expect(plausible.lost == 5_000_000 - 56 && cursor.lapped == 5_000_000 - 56 && cursor.resyncs == 1)
        }
    }

    @Test("the elapsed time is asked for after the position was loaded, and only where it matters")
    func whenAsked() throws {
        let ring = try TestRing(records: 64)
        let segment = try ring.segment()
        var cursor = RingCursor(segment)
        withUnsafeTemporaryAllocation(of: ringside_record.self, capacity: RingCursor.batchLimit) { buffer in
            let records = buffer.baseAddress!
            var asked = 0
            func elapsed(_ nanoseconds: UInt64) -> UInt64 {
                asked += 1
                ring.jump(to: 20_000_000)
                return nanoseconds
            }
            ring.write(0..<10)
            _ = cursor.read(segment, into: records, elapsedNanoseconds: elapsed(0))
            #expect(asked == 0)
            ring.jump(to: 10_000_000)
            let batch = cursor.read(segment, into: records, elapsedNanoseconds: elapsed(10_000_000))
            #expect(asked == 1 && cursor.resyncs == 0 && cursor.corrupt == 0)
            #expect(cursor.lastHead == 10_000_000 && batch.lost > 0)
        }
    }

    @Test("positions wrap past 2^64 without a loss", arguments: [2, 8, 64] as [UInt32])
    func positionWrap(capacity: UInt32) throws {
        let ring = try TestRing(records: capacity)
        let start = UInt64.max - 100
        ring.jump(to: start)
        let segment = try ring.segment()
        var reader = CheckingReader(segment, start: .now)
        for step in 0..<200 as Range<UInt64> {
            ring.write(start &+ step)
            if step % UInt64(capacity - 1) == 0 { reader.readToEnd() }
        }
        reader.readToEnd()
        #expect(segment.position == 99)
        #expect(reader.delivered == 200 && reader.cursor.lapped == 0 && reader.torn == 0 && reader.disordered == 0)
        #expect(reader.cursor.resyncs == 0)
    }

    @Test("laps are counted exactly across the wrap")
    func lappedOverWrap() throws {
        let ring = try TestRing(records: 8)
        ring.jump(to: .max - 3)
        let segment = try ring.segment()
        var reader = CheckingReader(segment, start: .now)
        for step in 0..<50 as Range<UInt64> { ring.write(UInt64.max - 3 &+ step) }
        reader.readToEnd()
        #expect(reader.delivered + reader.cursor.lapped == 50 && reader.delivered == 7 && reader.torn == 0)
    }

    @Test("lap numbers wrap after 65,536 laps, and the records around stay valid")
    func lapWrap() throws {
        let ring = try TestRing(records: 2)
        let segment = try ring.segment()
        let start = UInt64(2 * 65_535 - 6)
        ring.jump(to: start)
        var reader = CheckingReader(segment, start: .now)
        for index in start..<start + 20 {
            ring.write(index)
            reader.readToEnd()
        }
        #expect(reader.delivered == 20 && reader.torn == 0)
        #expect(ringside_lap(2 * 65_535 - 1, 1) == 65_535 && ringside_lap(2 * 65_535, 1) == 0)
    }

    @Test("untouched memory and a record of another lap are no records")
    func validity() throws {
        let ring = try TestRing(records: 8)
        ring.jump(to: 20)  // nothing was ever written there
        ring.write(20..<22)
        let segment = try ring.segment()
        var cursor = RingCursor(segment)
        withUnsafeTemporaryAllocation(of: ringside_record.self, capacity: RingCursor.batchLimit) { buffer in
            let batch = cursor.read(segment, into: buffer.baseAddress!)
            let valid = (0..<batch.count).filter {
                ringside_record_is_valid(&buffer[batch.offset + $0], batch.firstIndex + UInt64($0), 3) != 0
            }
            #expect(valid.map { batch.firstIndex + UInt64($0) } == [20, 21])
            let isOfNextLap = ringside_record_is_valid(&buffer[batch.offset + batch.count - 1], 21 + 8, 3) != 0
            #expect(!isOfNextLap)
        }
    }

    @Test("a metric registered after a reader came is known once the count is loaded again")
    func reload() throws {
        let ring = try TestRing(records: 64)
        try ring.register("first")
        let segment = try ring.segment()
        #expect(segment.metricCount == 1)
        let id = try ring.register("second")
        ringside_value(ring.producer, id, 2.5, 0)
        #expect(segment.position == 1 && segment.metricCount == 2)
        #expect(segment.metric(Int(id))?.name == "second" && segment.cell(Int(id)).first == 1)
    }
}
