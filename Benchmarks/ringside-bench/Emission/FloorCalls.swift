internal import CBench

/// The machine's own cost for the work of a call: the best C that does the same work, and its parts. See bench.h.
protocol FloorCall: EmissionCall {
    static func emit(_ floor: FloorRing)
}

extension FloorCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) { emit(subject.pointee.floor) }
}

/// Four stores into the next slot, around the whole ring. A loop keeps the slot's index in a register.
enum StoresFloor: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) {
        let ring = subject.pointee.floor.instrument.pointee.ring!
        store(ring, ring.pointee.next)
        ring.pointee.next &+= 1
    }

    @inline(__always)
    static func loop(_ subject: UnsafePointer<Subject>, count: Int) {
        let ring = subject.pointee.floor.instrument.pointee.ring!
        let first = ring.pointee.next
        let (records, mask) = (ring.pointee.records!, ring.pointee.mask)
        for index in first..<first &+ UInt64(count) {
            bench_store_record(records + Int(truncatingIfNeeded: index & mask) * 4, 0, 1, 1, 0)
            bench_barrier()
        }
        ring.pointee.next = first &+ UInt64(count)
    }

    @inline(__always)
    private static func store(_ ring: UnsafeMutablePointer<bench_ring>, _ index: UInt64) {
        bench_store_record(
            ring.pointee.records + Int(truncatingIfNeeded: index & ring.pointee.mask) * 4, 0, 1, 1, 0)
    }
}

enum ClockFloor: FloorCall {
    @inline(__always)
    static func emit(_ floor: FloorRing) { _ = bench_read_clock() }
}

enum TwoClocksFloor: FloorCall {
    @inline(__always)
    static func emit(_ floor: FloorRing) {
        _ = bench_read_clock()
        bench_barrier()
        _ = bench_read_clock()
    }
}

enum CounterFloor: FloorCall {
    @inline(__always)
    static func emit(_ floor: FloorRing) { bench_count(floor.instrument) }
}

enum CountersFloor: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) { bench_count(subject.pointee.floor.instrument) }

    @inline(__always)
    static func loop(_ subject: UnsafePointer<Subject>, count: Int) {
        for index in 0..<count {
            bench_count_one_of_eight(subject.pointee.floor.instrument, UInt64(index))
            bench_barrier()
        }
    }
}

enum GaugeFloor: FloorCall {
    @inline(__always)
    static func emit(_ floor: FloorRing) { bench_set(floor.instrument, 0.5) }
}

enum ValueFloor: FloorCall {
    @inline(__always)
    static func emit(_ floor: FloorRing) { bench_write(floor.instrument, 0, 0.5.bitPattern) }
}

/// One clock read, and a record of the time since the previous read.
enum LapFloor: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) {
        let floor = subject.pointee.floor
        let end = bench_read_clock()
        bench_write(floor.instrument, end, end &- floor.lastEnd.pointee)
        floor.lastEnd.pointee = end
    }

    @inline(__always)
    static func loop(_ subject: UnsafePointer<Subject>, count: Int) {
        var start = bench_read_clock()
        for _ in 0..<count {
            let end = bench_read_clock()
            bench_write(subject.pointee.floor.instrument, end, end &- start)
            start = end
            bench_barrier()
        }
    }
}

enum SpanFloor: FloorCall {
    @inline(__always)
    static func emit(_ floor: FloorRing) {
        let start = bench_read_clock()
        bench_barrier()
        let end = bench_read_clock()
        bench_write(floor.instrument, end, end &- start)
    }
}

/// The call of a function that does nothing: the part of a single call that is measurement.
enum NothingCall: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) { bench_barrier() }
}
