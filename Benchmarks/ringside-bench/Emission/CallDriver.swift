internal import CBench

/// The number of calls of each kind in a round.
struct EmissionCounts: Sendable {
    var loop = 500_000
    var paced = 50_000
    var cold = 500
    static let spacingNanoseconds = 500.0
}

/// Memory of a run that every call shares: the samples of single calls, and the words that are walked to empty the
/// caches.
final class Bench {
    let samples: UnsafeMutableBufferPointer<UInt32>
    let walked: UnsafeMutableBufferPointer<UInt64>

    init(counts: EmissionCounts) {
        samples = .allocate(capacity: max(counts.paced, counts.cold))
        samples.initialize(repeating: 0)
        walked = .allocate(capacity: 2 * Caches.secondLevelBytes / 8)
        walked.initialize(repeating: 1)
    }

    deinit {
        samples.deallocate()
        walked.deallocate()
    }
}

/// The loops around a call. They are generic and specialised for each call, so only the call itself is between two
/// clock reads.
enum CallDriver<Call: EmissionCall> {
    /// Returns the ticks of one call: the median over slices of the mean of 5,000 calls.
    @inline(never)
    static func loop(_ subject: UnsafePointer<Subject>, count: Int) -> Double {
        let length = min(5000, count)
        let slices = (0..<max(1, count / length)).map { _ in
            let opened = bench_open()
            Call.loop(subject, count: length)
            return Double(bench_close() - opened) / Double(length)
        }
        return medianOf(slices)
    }

    /// Emits one event, in a function of its own, as in a bot.
    @inline(never)
    static func once(_ subject: UnsafePointer<Subject>) { Call.emit(subject) }

    /// Makes one call every `spacing` ticks, each in a bracket. A call that comes late does not hurry the next.
    @inline(never)
    static func paced(
        _ subject: UnsafePointer<Subject>, into samples: UnsafeMutableBufferPointer<UInt32>, spacing: UInt64
    ) {
        var next = bench_ticks() + spacing
        for index in samples.indices {
            while bench_ticks() < next {}
            let opened = bench_open()
            once(subject)
            let closed = bench_close()
            samples[index] = UInt32(clamping: closed - opened)
            next = max(next + spacing, closed)
        }
    }

    /// Makes each call after the caches were emptied of the memory that it touches.
    @inline(never)
    static func cold(
        _ subject: UnsafePointer<Subject>, into samples: UnsafeMutableBufferPointer<UInt32>,
        walking walked: UnsafeMutableBufferPointer<UInt64>
    ) {
        for index in samples.indices {
            _ = bench_walk(walked.baseAddress, UInt64(walked.count * 8))
            let opened = bench_open()
            once(subject)
            samples[index] = UInt32(clamping: bench_close() - opened)
        }
    }
}

/// The bracket with nothing in it, not even the call of a function.
enum EmptyBracket {
    @inline(never)
    static func paced(into samples: UnsafeMutableBufferPointer<UInt32>, spacing: UInt64) {
        var next = bench_ticks() + spacing
        for index in samples.indices {
            while bench_ticks() < next {}
            let opened = bench_open()
            let closed = bench_close()
            samples[index] = UInt32(clamping: closed - opened)
            next = max(next + spacing, closed)
        }
    }
}
