internal import Glibc
package import Platform
package import RingReader

/// Watches for rings that are added or removed: inotify(7) on the ring directory, and a scan every second in case it
/// missed something (a queue overflow, a file system without events).
package final class RingWatch {
    private let directory: RingDirectory
    private let inotify: Int32
    private var nextScan: MonotonicTime = 0
    private var scanIsDue = true

    package static let scanIntervalNanoseconds: Int64 = 1_000_000_000

    /// A descriptor that is readable if something changed in the directory; -1 if the system has no more watches. Then
    /// only the scan is used.
    package var descriptor: Int32 { inotify }

    package init(directory: RingDirectory) {
        self.directory = directory
        inotify = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
        if inotify >= 0 { _ = inotify_add_watch(inotify, directory.path, events) }
    }

    deinit {
        if inotify >= 0 { close(inotify) }
    }

    /// Returns the rings in the directory if it is time to scan it; otherwise nil.
    package func rings(now: MonotonicTime) -> [RingName]? {
        takeEvents()
        guard scanIsDue || now >= nextScan else { return nil }
        scanIsDue = false
        nextScan = now + Self.scanIntervalNanoseconds
        // A directory that cannot be read now is not treated as empty: the known rings stay until the next scan.
        return try? directory.ringNames()
    }

    private func takeEvents() {
        guard inotify >= 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(inotify, buffer.baseAddress, buffer.count) > 0 { scanIsDue = true }
        }
    }
}
