import Ringside
import Synchronization
import TestSupport

/// A bot on a thread of its own that writes as fast as it can. The value of record n is n, and its trace id follows
/// from n, so that a record of two halves shows.
final class FastWriter: Sendable {
    private final class Signals: Sendable {
        let isStopped = Atomic(false)
        let isReady = Atomic(false)
    }

    private let signals = Signals()
    private let thread: NativeThread

    init(_ ring: String, in directory: TemporaryRingDirectory, capacity: Int) {
        let signals = signals
        let options = AttachOptions(directory: directory.path, capacityRecords: capacity, metricCapacity: 8)
        thread = NativeThread {
            guard let telemetry = try? Telemetry.attach(ring, options: options),
                let histogram = try? telemetry.histogram("x_bps", unit: .bps, help: "X.")
            else { fatalError("cannot attach \(ring)") }
            signals.isReady.store(true, ordering: .releasing)
            var sequence: UInt64 = 0
            while !signals.isStopped.load(ordering: .relaxed) {
                histogram.record(Double(sequence), trace: Self.trace(of: sequence))
                sequence += 1
            }
        }
        while !signals.isReady.load(ordering: .acquiring) {}
    }

    static func trace(of sequence: UInt64) -> UInt64 { (sequence &+ 1) &* 0x9e37_79b9_7f4a_7c15 | 1 }

    /// Ends the thread. Call it exactly once.
    func stop() {
        signals.isStopped.store(true, ordering: .relaxed)
        thread.join()
    }
}
