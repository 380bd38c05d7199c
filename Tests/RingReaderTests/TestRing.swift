import CRingside
import RingReader
import TestSupport

/// A ring in a temporary directory, and its C producer, whose position and laps a test can change.
final class TestRing {
    let directory = TemporaryRingDirectory()
    let path: String
    let producer: UnsafeMutablePointer<ringside_producer>

    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    init(records: UInt32, metrics: UInt32 = 4) throws {
        path = directory.ring("alpha")
        producer = try Self.attach(directory.path, records, metrics)
    }

    deinit { ringside_detach(producer) }

    static func attach(
        _ directory: String, _ records: UInt32, _ metrics: UInt32
    ) throws -> UnsafeMutablePointer<ringside_producer> {
        var producer: UnsafeMutablePointer<ringside_producer>?
        var error = ringside_error()
        let code = directory.withCString { path in
            var options = ringside_options()
            options.directory = path
            options.capacity_records = records
            options.metric_capacity = metrics
            return ringside_attach("alpha", &options, &producer, &error)
        }
        guard code == 0, let producer else { throw Refused(description: "attach refused: \(error.code)") }
        return producer
    }

    /// Registers a histogram of values.
    @discardableResult
    func register(_ name: String) throws -> UInt32 {
        var id: UInt32 = 0
        var error = ringside_error()
        let code = name.withCString { name in
            var definition = ringside_definition()
            definition.name = name
            definition.kind = UInt8(RINGSIDE_KIND_HISTOGRAM.rawValue)
            definition.number = UInt8(RINGSIDE_NUMBER_F64.rawValue)
            definition.encoding = UInt8(RINGSIDE_ENCODING_NUMBER.rawValue)
            return ringside_register(producer, &definition, &id, &error)
        }
        guard code == 0 else { throw Refused(description: "register refused: \(error.code)") }
        return id
    }

    /// Writes a record whose words all depend on its index; see ``Pattern``.
    func write(_ index: UInt64) { Pattern.write(index, producer) }

    func write(_ range: Range<UInt64>) { for index in range { write(index) } }

    /// Makes the ring as if this number of records had been written, and lets the producer go on from there.
    func jump(to position: UInt64) {
        ringside_set_position(producer, position)
        RingFile(path).setPosition(position)
    }

    func segment() throws -> Segment { try Segment(name: RingName("alpha")!, path: path) }
}

/// A record that shows any mixture of two records: each of its four words is another function of its index.
enum Pattern {
    static func time(_ index: UInt64) -> UInt64 { index &* 0x9e37_79b9_7f4a_7c15 &+ 1 }
    static func value(_ index: UInt64) -> UInt64 { ~index }
    static func trace(_ index: UInt64) -> UInt64 { (index << 32 | index >> 32) ^ 0x5555_5555_5555_5555 }
    static func weight(_ index: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: index) & 0xffff }

    static func write(_ index: UInt64, _ producer: UnsafeMutablePointer<ringside_producer>) {
        let meta = ringside_meta(0, weight(index), UInt32(RINGSIDE_RECORD_SAMPLE.rawValue))
        ringside_write(producer, time(index), value(index), meta, trace(index))
    }

    /// Returns whether the record is the whole one of an index.
    static func holds(_ record: ringside_record, _ index: UInt64, shift: UInt32) -> Bool {
        let meta = UInt64(weight(index)) << 16 | 1 << 32 | ringside_lap(index, shift) << 48
        return record.time == time(index) && record.value == value(index) && record.trace_id == trace(index)
            && record.meta == meta
    }
}

/// Reads a ring to its end by a cursor and checks each record. Tests compare it with the producer's truth.
struct CheckingReader {
    var cursor: RingCursor
    private(set) var delivered: UInt64 = 0
    private(set) var torn: UInt64 = 0
    private(set) var disordered: UInt64 = 0
    private var last: UInt64?
    private let segment: Segment

    init(_ segment: Segment, start: RingCursor.Start = .oldest) {
        self.segment = segment
        cursor = RingCursor(segment, start: start)
    }

    /// Reads one batch. Returns whether there was no more.
    mutating func readBatch() -> Bool {
        withUnsafeTemporaryAllocation(of: ringside_record.self, capacity: RingCursor.batchLimit) { buffer in
            let batch = cursor.read(segment, into: buffer.baseAddress!)
            for place in 0..<batch.count {
                let index = batch.firstIndex &+ UInt64(place)
                if !Pattern.holds(buffer[batch.offset + place], index, shift: segment.geometry.shift) { torn += 1 }
                if let last, index &- last > UInt64(Int64.max) || index == last { disordered += 1 }
                last = index
            }
            delivered += UInt64(batch.count)
            return batch.isCaughtUp
        }
    }

    mutating func readToEnd() { while !readBatch() {} }

    /// The number of records delivered and lost.
    var accounted: UInt64 { delivered &+ cursor.lapped &+ cursor.beforeAttach &+ cursor.corrupt }

    struct Outcome: Sendable {
        let delivered, torn, disordered, accounted, resyncs: UInt64
    }

    var outcome: Outcome {
        Outcome(
            delivered: delivered, torn: torn, disordered: disordered, accounted: accounted, resyncs: cursor.resyncs)
    }
}
