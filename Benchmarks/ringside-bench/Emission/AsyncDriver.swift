internal import CBench
internal import Glibc

/// An asynchronous form of a span.
enum AsyncCall {
    /// A closure that awaits nothing.
    case closure
    /// A token around an awaited function.
    case awaitedByToken
    /// A closure that awaits the same function.
    case awaitedByClosure
}

/// The equivalent of ``CallDriver`` for the asynchronous forms of a span. It is not generic over them, as a bot is not:
/// in specialised code the compiler (Swift 6.3.1) keeps a hop to the caller's actor that it drops elsewhere.
enum AsyncDriver {
    @inline(never)
    nonisolated(nonsending) private static func work() async { bench_barrier() }

    /// Returns the ticks of one call, as ``CallDriver/loop(_:count:)``.
    nonisolated(nonsending) static func loop(
        _ call: AsyncCall, _ subject: UnsafePointer<Subject>, count: Int
    ) async -> Double {
        let length = min(5000, count)
        var slices: [Double] = []
        for _ in 0..<max(1, count / length) {
            let opened = bench_open()
            switch call {
            case .closure: await closures(subject, length)
            case .awaitedByToken: await awaitedByToken(subject, length)
            case .awaitedByClosure: await awaitedByClosure(subject, length)
            }
            slices.append(Double(bench_close() - opened) / Double(length))
        }
        return medianOf(slices)
    }

    @inline(never)
    nonisolated(nonsending) private static func closures(_ subject: UnsafePointer<Subject>, _ count: Int) async {
        for _ in 0..<count {
            await subject.pointee.durations.measure { () async in bench_barrier() }
            bench_barrier()
        }
    }

    @inline(never)
    nonisolated(nonsending) private static func awaitedByToken(_ subject: UnsafePointer<Subject>, _ count: Int) async {
        for _ in 0..<count {
            let span = subject.pointee.durations.start()
            await work()
            span.end()
            bench_barrier()
        }
    }

    @inline(never)
    nonisolated(nonsending) private static func awaitedByClosure(
        _ subject: UnsafePointer<Subject>, _ count: Int
    ) async {
        for _ in 0..<count {
            await subject.pointee.durations.measure { () async in await work() }
            bench_barrier()
        }
    }

    @inline(never)
    nonisolated(nonsending) static func once(_ call: AsyncCall, _ subject: UnsafePointer<Subject>) async {
        switch call {
        case .closure: await subject.pointee.durations.measure { () async in bench_barrier() }
        case .awaitedByToken:
            let span = subject.pointee.durations.start()
            await work()
            span.end()
        case .awaitedByClosure: await subject.pointee.durations.measure { () async in await work() }
        }
    }

    @inline(never)
    nonisolated(nonsending) static func paced(
        _ call: AsyncCall, _ subject: UnsafePointer<Subject>, into samples: UnsafeMutableBufferPointer<UInt32>,
        spacing: UInt64
    ) async {
        var next = bench_ticks() + spacing
        for index in samples.indices {
            while bench_ticks() < next {}
            let opened = bench_open()
            await once(call, subject)
            let closed = bench_close()
            samples[index] = UInt32(clamping: closed - opened)
            next = max(next + spacing, closed)
        }
    }

    @inline(never)
    nonisolated(nonsending) static func cold(
        _ call: AsyncCall, _ subject: UnsafePointer<Subject>, into samples: UnsafeMutableBufferPointer<UInt32>,
        walking walked: UnsafeMutableBufferPointer<UInt64>
    ) async {
        for index in samples.indices {
            _ = bench_walk(walked.baseAddress, UInt64(walked.count * 8))
            let opened = bench_open()
            await once(call, subject)
            samples[index] = UInt32(clamping: bench_close() - opened)
        }
    }

    /// Runs an asynchronous body on a thread of the task pool, bound to our processor, and waits for it.
    static func wait<Result>(for body: @escaping () async -> Result) -> Result {
        nonisolated(unsafe) let body = body  // this thread does nothing until the task is done
        nonisolated(unsafe) var result: Result?
        nonisolated(unsafe) let done = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(done, 0, 0)
        Task.detached {
            Processors.pin(to: Processors.ours)
            result = await body()
            sem_post(done)
        }
        while sem_wait(done) != 0 {}
        done.deallocate()
        return result!
    }
}
