internal import CRingside
internal import Glibc

/// Wakes one thread from its sleep. May be signalled from any thread, and costs one write(2).
package final class Wakeup: Sendable {
    private let descriptor: Int32

    /// - Throws: The system's refusal of a descriptor.
    package init() throws(SystemRefusal) {
        descriptor = ringside_eventfd()
        guard descriptor >= 0 else { throw .descriptor("eventfd", errno: errno) }
    }

    deinit { close(descriptor) }

    package func signal() { ringside_eventfd_signal(descriptor) }

    /// Sleeps until a signal, which may have come since the last wait, or until the given time or a minute has passed.
    ///
    /// - Returns: Whether it was signalled.
    @discardableResult
    package func wait(nanoseconds: Int64) -> Bool {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        // Rounded up: a wait that ended slightly early would start again and again.
        let milliseconds = (max(0, nanoseconds) + 999_999) / 1_000_000
        let isSignalled = poll(&descriptors, 1, Int32(min(milliseconds, 60_000))) > 0
        ringside_eventfd_clear(descriptor)
        return isSignalled
    }
}
