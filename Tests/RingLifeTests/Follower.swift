import CRingside
import RingReader
import TestSupport

/// A reader of its own, beside the collector. It knows the content of every record: the bots write trace id and value
/// by the record's index, so that a torn record shows.
struct Follower {
    let segment: Segment
    private(set) var cursor: RingCursor
    /// Records that were whole and valid.
    private(set) var seen: UInt64 = 0
    /// Records that are not valid in their place.
    private(set) var invalid: UInt64 = 0
    /// Records that are valid, but not the ones that were written there.
    private(set) var torn: [String] = []

    init(_ segment: Segment) {
        self.segment = segment
        cursor = RingCursor(segment)
    }

    init(_ directory: TemporaryRingDirectory, _ ring: String = "alpha") throws {
        self.init(try directory.segment(ring))
    }

    /// Reads all available records.
    mutating func follow() {
        withUnsafeTemporaryAllocation(of: ringside_record.self, capacity: RingCursor.batchLimit) { buffer in
            var batch: RingCursor.Batch
            var left = segment.geometry.capacity
            repeat {
                batch = cursor.read(segment, into: buffer.baseAddress!)
                for offset in 0..<batch.count {
                    check(buffer[batch.offset + offset], at: batch.firstIndex &+ UInt64(offset))
                }
                left = left > UInt64(batch.count) ? left &- UInt64(max(1, batch.count)) : 0
            } while !batch.isCaughtUp && left > 0
        }
    }

    private mutating func check(_ record: ringside_record, at index: UInt64) {
        var record = record
        guard ringside_record_is_valid(&record, index, segment.geometry.shift) != 0 else { return invalid += 1 }
        seen += 1
        let trace = index &* 0x9e37_79b9_7f4a_7c15 ^ 0x5bd1_e995_5bd1_e995
        let isWhole =
            record.trace_id == trace && record.value == Double(index % 1_000_003).bitPattern && record.time != 0
        if !isWhole { torn.append("record \(index): \(record)") }
    }
}

extension TemporaryRingDirectory {
    /// Returns the ring as a reader sees it.
    func segment(_ name: String = "alpha") throws -> Segment { try Segment(name: RingName(name)!, path: ring(name)) }

    func file(_ name: String = "alpha") -> RingFile { RingFile(ring(name)) }
}

extension Segment {
    /// Returns the slot of a metric by its name; nil if there is none.
    func index(of name: String) -> Int? { (0..<metricCount).first { metric($0)?.name == name } }

    /// Returns the first word of a metric's cell: a counter's total, a histogram's calls. Returns 0 if there is no such
    /// metric.
    func total(_ name: String) -> UInt64 { index(of: name).map { cell($0).first } ?? 0 }
}
