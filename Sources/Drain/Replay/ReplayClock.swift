internal import Platform
internal import RingReader
internal import Synchronization

/// A clock that stands where the replay is: the wall clock and the monotonic one in one.
final class ReplayClock: Sendable {
    private let nanoseconds = Atomic<MonotonicTime>(0)

    var now: MonotonicTime {
        get { nanoseconds.load(ordering: .relaxed) }
        set { nanoseconds.store(newValue, ordering: .relaxed) }
    }

    var source: TimeSource { TimeSource(monotonic: { self.now }, unix: { self.now }) }
}
