internal import CBench
internal import Glibc

/// As ``CallDriver``, for the asynchronous form of a span.
enum AsyncDriver {
    @inline(never)
    nonisolated(nonsending) static func loop(_ subject: UnsafePointer<Subject>, count: Int) async -> Double {
        let length = min(5000, count)
        var slices: [Double] = []
        for _ in 0..<max(1, count / length) {
            let opened = bench_open()
            for _ in 0..<length {
                await subject.pointee.durations.measure { () async in bench_barrier() }
                bench_barrier()
            }
            slices.append(Double(bench_close() - opened) / Double(length))
        }
        return medianOf(slices)
    }

    @inline(never)
    nonisolated(nonsending) static func once(_ subject: UnsafePointer<Subject>) async {
        await subject.pointee.durations.measure { () async in bench_barrier() }
    }

    @inline(never)
    nonisolated(nonsending) static func paced(
        _ subject: UnsafePointer<Subject>, into samples: UnsafeMutableBufferPointer<UInt32>, spacing: UInt64
    ) async {
        var next = bench_ticks() + spacing
        for index in samples.indices {
            while bench_ticks() < next {}
            let opened = bench_open()
            await once(subject)
            let closed = bench_close()
            samples[index] = UInt32(clamping: closed - opened)
            next = max(next + spacing, closed)
        }
    }

    @inline(never)
    nonisolated(nonsending) static func cold(
        _ subject: UnsafePointer<Subject>, into samples: UnsafeMutableBufferPointer<UInt32>,
        walking walked: UnsafeMutableBufferPointer<UInt64>
    ) async {
        for index in samples.indices {
            _ = bench_walk(walked.baseAddress, UInt64(walked.count * 8))
            let opened = bench_open()
            await once(subject)
            samples[index] = UInt32(clamping: bench_close() - opened)
        }
    }

    /// Runs an asynchronous body on a thread of the task pool, bound to our processor, while this one waits.
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
