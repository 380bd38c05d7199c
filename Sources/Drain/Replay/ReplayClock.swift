internal import Platform
internal import RingReader
internal import Synchronization

/// A clock with the time of a replay. The wall clock and the monotonic clock are the same.
final class ReplayClock: Sendable {
    private let nanoseconds = Atomic<MonotonicTime>(0)

    var now: MonotonicTime {
        get { nanoseconds.load(ordering: .relaxed) }
        set { nanoseconds.store(newValue, ordering: .relaxed) }
    }

    var source: TimeSource { TimeSource(monotonic: { self.now }, unix: { self.now }) }
}
