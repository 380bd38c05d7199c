internal import CBench
internal import RingReader

/// A ring drained by the least work that a collector can do, in C; see bench_drain.h.
final class FloorDrain {
    private let segment: Segment
    private let sketches: UnsafeMutableBufferPointer<bench_sketch>
    private var next: UInt64

    /// Returns nil if there is no readable ring.
    init?(_ name: RingName, path: String) {
        guard let segment = try? Segment(name: name, path: path) else { return nil }
        self.segment = segment
        next = segment.position
        sketches = .allocate(capacity: Int(segment.metricCount))
        for index in sketches.indices { bench_sketch_clear(sketches.baseAddress! + index) }
    }

    deinit { sketches.deallocate() }

    /// Drains to the end, and returns the number of records.
    func readToEnd() -> Int {
        Int(
            bench_drain(
                segment.records, segment.geometry.shift, segment.positionWord, &next, sketches.baseAddress,
                UInt32(sketches.count)))
    }
}
