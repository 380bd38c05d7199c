internal import Glibc
package import Platform

extension DeliveryStore {
    /// Opens the queues that lie in a state directory. Where there is none, or where they cannot be kept there, they are in
    /// memory, which is said; a damaged file is set aside, never deleted.
    ///
    /// A file that another process has locked is waited for.
    ///
    /// - Parameter directory: That of the collector's state, which nobody else uses.
    /// - Throws: ``SystemRefusal`` where there is no memory for a queue; ``LockWait/Failure`` where the file stays locked: what
    ///   waits in it would not be sent.
    package static func open(
        in directory: String?, patience: LockWait = LockWait(), logger: Logger, time: TimeSource = .system
    ) throws -> DeliveryStore {
        guard let directory else { return try inMemory(time) }
        let path = "\(directory)/delivery.sqlite"
        do {
            let isLock = { (error: any Error) in (error as? DeliveryDatabase.Failure)?.isLock ?? false }
            return try patience.open(path, isLock: isLock) { try openFile(path, logger, time) }
        } catch let failure as LockWait.Failure {
            throw failure
        } catch {
            logger.error(
                "what waits to be sent is kept in memory alone, and a restart would forget it",
                [("file", .text(path)), ("reason", "\(error)")])
            return try inMemory(time)
        }
    }

    private static func openFile(_ path: String, _ logger: Logger, _ time: TimeSource) throws -> DeliveryStore {
        do {
            return try DeliveryStore(path: path, time: time)
        } catch let failure as DeliveryDatabase.Failure where failure.isDamage {
            let aside = freeName("\(path).damaged-\(time.unix() / 1_000_000_000)")
            for suffix in ["-wal", "-shm", ""] where access(path + suffix, F_OK) == 0 {
                guard rename(path + suffix, aside + suffix) == 0 else { throw failure }
            }
            logger.error(
                "the queue is set aside: it is damaged, and a new one is begun",
                [("file", .text(path)), ("kept_as", .text(aside)), ("reason", .text(failure.description))])
            return try DeliveryStore(path: path, time: time)
        }
    }

    /// The name, or one made of it that no file has: a clock that was set back names two files alike.
    private static func freeName(_ name: String) -> String {
        var (free, number) = (name, 1)
        while access(free, F_OK) == 0 {
            number += 1
            free = "\(name)-\(number)"
        }
        return free
    }

    private static func inMemory(_ time: TimeSource) throws(SystemRefusal) -> DeliveryStore {
        do {
            return try DeliveryStore(path: nil, time: time)
        } catch {
            throw SystemRefusal(
                "room for a queue in memory", reason: "\(error)", advice: "free memory, or raise the limit on it")
        }
    }
}
