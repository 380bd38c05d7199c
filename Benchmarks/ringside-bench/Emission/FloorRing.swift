internal import CBench
internal import CRingside

/// A ring that the floors write into. It has the size of the measured rings, is in the same kind of memory, and is read
/// by the same reader, which finds records without a lap in it.
struct FloorRing {
    let instrument: UnsafeMutablePointer<bench_instrument>
    /// The place where a stopwatch would keep the end of its last stage.
    let lastEnd: UnsafeMutablePointer<UInt64>
    private let producer: UnsafeMutablePointer<ringside_producer>

    static let name = "floor"

    init(in directory: String, capacityRecords: Int) {
        var producer: UnsafeMutablePointer<ringside_producer>?
        let code = directory.withCString { path in
            var options = ringside_options()
            options.directory = path
            options.capacity_records = UInt32(capacityRecords)
            return ringside_attach(Self.name, &options, &producer, nil)
        }
        precondition(code == RINGSIDE_OK.rawValue, "no memory for the floor's ring")
        self.producer = producer!
        let ring = UnsafeMutablePointer<bench_ring>.allocate(capacity: 1)
        let words = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
        words.initialize(to: UInt32(BENCH_ENABLED))
        let state = producer!.pointee
        let cells = UnsafeMutableRawPointer(state.cells!).assumingMemoryBound(to: UInt64.self)
        let records = UnsafeMutableRawPointer(state.records!).assumingMemoryBound(to: UInt64.self)
        let position = UnsafeMutableRawPointer(state.line!).assumingMemoryBound(to: UInt64.self)
        ring.initialize(to: bench_ring(next: 0, mask: state.mask, records: records, position: position))
        instrument = .allocate(capacity: 1)
        instrument.initialize(to: bench_instrument(ring: ring, control: words, cell: cells))
        lastEnd = .allocate(capacity: 1)
        lastEnd.initialize(to: 0)
    }

    func deallocate() {
        ringside_detach(producer)
        UnsafeMutablePointer(mutating: instrument.pointee.control).deallocate()
        instrument.pointee.ring.deallocate()
        instrument.deallocate()
        lastEnd.deallocate()
    }
}
