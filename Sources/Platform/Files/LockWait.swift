internal import Glibc

/// Waits for the lock of a file of the state directory. A backup or somebody with `sqlite3` may hold it for a while, and a
/// collector that began without what is in the file would show totals that fell.
package struct LockWait {
    /// The most that it waits.
    package var nanoseconds: Int64
    /// Says what is waited for, and nil when it is there.
    package var say: (String?) -> Void
    /// Whether the collector is to end meanwhile.
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

    /// Why a file could not be opened.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case locked(path: String, seconds: Int64)
        /// The collector is to end.
        case ended

        package var description: String {
            switch self {
            case .locked(let path, let seconds):
                "\(path) has been locked by another process for \(seconds) s (a backup, or sqlite3); end that process, or give this collector another directory by --state-dir"
            case .ended: "the collector was ended while it waited for a lock"
            }
        }
    }

    /// Opens a file, again and again while it is locked.
    ///
    /// - Parameter isLock: Whether what `open` threw says so.
    /// - Throws: ``Failure``, or what `open` throws for another reason.
    package func open<Result>(
        _ path: String, isLock: (any Error) -> Bool, _ open: () throws -> sending Result
    ) throws -> sending Result {
        let begun = monotonicNow()
        var isWaiting = false
        defer { if isWaiting { say(nil) } }
        while true {
            do {
                return try open()
            } catch  where isLock(error) {
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
