internal import CBench

/// What an instrument cannot be cheaper than; in a loop the index stays in a register.
protocol FloorCall: EmissionCall {
    static func emit(_ floor: FloorRing, index: UInt64)
    static func emit(_ floor: FloorRing)
}

extension FloorCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) { emit(subject.pointee.floor) }

    @inline(__always)
    static func loop(_ subject: UnsafePointer<Subject>, count: Int) {
        let floor = subject.pointee.floor
        for index in 0..<count {
            emit(floor, index: UInt64(index))
            bench_barrier()
        }
    }
}

enum StoresFloor: FloorCall {
    @inline(__always)
    static func emit(_ floor: FloorRing, index: UInt64) { floor.store(index, time: 0, value: 1) }
    @inline(__always)
    static func emit(_ floor: FloorRing) { floor.store(time: 0, value: 1) }
}

enum ClockFloor: FloorCall {
    @inline(__always)
    static func emit(_ floor: FloorRing, index: UInt64) { _ = floor.now() }
    @inline(__always)
    static func emit(_ floor: FloorRing) { _ = floor.now() }
}

enum TwoClocksFloor: FloorCall {
    @inline(__always)
    static func emit(_ floor: FloorRing, index: UInt64) { emit(floor) }
    @inline(__always)
    static func emit(_ floor: FloorRing) {
        _ = floor.now()
        bench_barrier()
        _ = floor.now()
    }
}

enum ClockAndStoresFloor: FloorCall {
    @inline(__always)
    static func emit(_ floor: FloorRing, index: UInt64) { floor.store(index, time: floor.now(), value: 1) }
    @inline(__always)
    static func emit(_ floor: FloorRing) { floor.store(time: floor.now(), value: 1) }
}

enum TwoClocksAndStoresFloor: FloorCall {
    @inline(__always)
    static func emit(_ floor: FloorRing, index: UInt64) {
        let start = floor.now()
        bench_barrier()
        let end = floor.now()
        floor.store(index, time: end, value: end &- start)
    }
    @inline(__always)
    static func emit(_ floor: FloorRing) {
        let start = floor.now()
        bench_barrier()
        let end = floor.now()
        floor.store(time: end, value: end &- start)
    }
}

/// The call of a function that does nothing: what of a single call is measuring it.
enum NothingCall: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) { bench_barrier() }
}
