internal import CBench

/// A way to emit, as a bot would write it.
protocol EmissionCall {
    /// Emits once. It is inlined into the code that measures it.
    static func emit(_ subject: UnsafePointer<Subject>)
    /// Emits a number of times, one after the other.
    static func loop(_ subject: UnsafePointer<Subject>, count: Int)
}

extension EmissionCall {
    @inline(__always)
    static func loop(_ subject: UnsafePointer<Subject>, count: Int) {
        for _ in 0..<count {
            emit(subject)
            bench_barrier()
        }
    }
}

enum CounterCall: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) { subject.pointee.counter.increment() }
}

/// Eight counters in turn. A single call uses the first.
enum CountersCall: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) { subject.pointee.counters[0].increment() }

    @inline(__always)
    static func loop(_ subject: UnsafePointer<Subject>, count: Int) {
        for index in 0..<count {
            subject.pointee.counters[index & 7].increment()
            bench_barrier()
        }
    }
}

enum GaugeCall: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) { subject.pointee.gauge.set(0.5) }
}

enum ValueCall: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) { subject.pointee.values.record(0.5) }
}

enum TimedValueCall: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) {
        subject.pointee.values.record(0.5, at: subject.pointee.telemetry.now())
    }
}

enum ClosureCall: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) { subject.pointee.durations.measure { bench_barrier() } }
}

enum TokenCall: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) {
        let span = subject.pointee.durations.start()
        bench_barrier()
        span.end()
    }
}

enum ManualCall: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) {
        let start = subject.pointee.telemetry.now()
        bench_barrier()
        subject.pointee.durations.record(since: start)
    }
}

/// A stopwatch that was started before: one lap is one clock read and one record.
enum LapCall: EmissionCall {
    @inline(__always)
    static func emit(_ subject: UnsafePointer<Subject>) {
        var watch = subject.pointee.watch.pointee
        watch.lap(into: subject.pointee.durations)
        subject.pointee.watch.pointee = watch
    }

    @inline(__always)
    static func loop(_ subject: UnsafePointer<Subject>, count: Int) {
        var watch = subject.pointee.telemetry.stopwatch()
        for _ in 0..<count {
            watch.lap(into: subject.pointee.durations)
            bench_barrier()
        }
    }
}
