internal import Glibc
internal import Platform

/// The wait for a locked database. A backup or a user of `sqlite3` may hold the lock for a while. A collector that
/// started without the file's contents would show totals that fell.
package struct LockWait {
    /// The longest wait.
    package var nanoseconds: Int64
    /// A function that is called with the reason for waiting, and with nil when the wait is over.
    package var say: (String?) -> Void
    /// A function that returns whether the collector should end meanwhile.
    package var isEndWanted: () -> Bool

    package init(
        nanoseconds: Int64 = 30_000_000_000, say: @escaping (String?) -> Void = { _ in },
        isEndWanted: @escaping () -> Bool = { false }
    ) {
        self.nanoseconds = nanoseconds
        self.say = say
        self.isEndWanted = isEndWanted
    }

    private static let pauseMicroseconds: UInt32 = 50_000

    /// The reason why a file could not be opened.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case locked(path: String, seconds: Int64)
        /// The collector must end.
        case ended

        package var description: String {
            switch self {
            case .locked(let path, let seconds):
                "\(path) has been locked by another process for \(seconds) s (a backup, or sqlite3); end that process, or choose another directory with --state-dir"
            case .ended: "the collector was stopped while it waited for a lock"
            }
        }
    }

    /// Opens a database, and retries while it is locked.
    ///
    /// - Throws: ``Failure``, or the error of `open` unless it is a ``DatabaseFailure`` about a lock.
    package func open<Result>(_ path: String, _ open: () throws -> sending Result) throws -> sending Result {
        let begun = monotonicNow()
        var isWaiting = false
        defer { if isWaiting { say(nil) } }
        while true {
            do {
                return try open()
            } catch let failure as DatabaseFailure where failure.isLock {
                guard monotonicNow() - begun < nanoseconds else {
                    throw Failure.locked(path: path, seconds: nanoseconds / 1_000_000_000)
                }
                if !isWaiting { say("the collector waits for \(path), which another process has locked") }
                isWaiting = true
                if isEndWanted() { throw Failure.ended }
                usleep(Self.pauseMicroseconds)
            }
        }
    }
}
