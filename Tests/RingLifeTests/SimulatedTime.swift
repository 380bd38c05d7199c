import Platform
import Collector
import Drain
import RingReader

/// One clock for a collector and its bots. It stands still until it is read or moved, so everything between two reads
/// happens at a known time.
///
/// A collector may be stopped for a while at a read. `onRead` moves the clock meanwhile.
final class SimulatedTime: MachineClocks, @unchecked Sendable {
    // Unchecked: one test uses it on one thread.
    private(set) var now: Int64
    /// Called at each read by the collector.
    var onRead: () -> Void = {}
    private var isBeingRead = false

    static let unixOffset: Int64 = 1_700_000_000_000_000_000

    init(start: Int64) { now = start }

    func move(to time: Int64) { now = max(now, time) }

    /// Reads the clock. Each read takes a little time.
    private func read() -> Int64 {
        now += 200
        guard !isBeingRead else { return now }
        isBeingRead = true
        onRead()
        isBeingRead = false
        return now
    }

    var source: TimeSource {
        TimeSource(monotonic: { self.read() }, unix: { self.now + Self.unixOffset })
    }

    var kind: Life.Clock { .monotonic }
    func ticksPerSecond() -> Double { 1e9 }
    func glance() -> (ticks: UInt64, monotonic: MonotonicTime) { (UInt64(now), now) }

    func read() -> ClockReading {
        ClockReading(ticks: UInt64(now), monotonic: now, bootTime: now, unix: now + Self.unixOffset, uncertainty: 0)
    }
}
