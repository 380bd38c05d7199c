internal import Glibc
package import Platform

extension DeliveryStore {
    /// Opens the queues that lie in a state directory. Where there is none, or where they cannot be kept there, they are in
    /// memory, which is said; a damaged file is set aside, never deleted.
    ///
    /// - Parameter directory: That of the collector's state, which nobody else uses.
    package static func open(in directory: String?, logger: Logger) -> DeliveryStore {
        guard let directory else { return inMemory() }
        let path = "\(directory)/delivery.sqlite"
        do {
            return try openFile(path, logger)
        } catch {
            logger.error(
                "what waits to be sent is kept in memory alone, and a restart would forget it",
                [("file", .text(path)), ("reason", "\(error)")])
            return inMemory()
        }
    }

    private static func openFile(_ path: String, _ logger: Logger) throws -> DeliveryStore {
        do {
            return try DeliveryStore(path: path)
        } catch let failure as DeliveryDatabase.Failure where failure.isDamage {
            let aside = "\(path).damaged-\(time(nil))"
            for suffix in ["-wal", "-shm", ""] where access(path + suffix, F_OK) == 0 {
                guard rename(path + suffix, aside + suffix) == 0 else { throw failure }
            }
            logger.error(
                "the queue is set aside: it is damaged, and a new one is begun",
                [("file", .text(path)), ("kept_as", .text(aside)), ("reason", .text(failure.description))])
            return try DeliveryStore(path: path)
        }
    }

    private static func inMemory() -> DeliveryStore {
        do {
            return try DeliveryStore(path: nil)
        } catch {
            preconditionFailure("SQLite gives no memory for a queue: \(error)")
        }
    }
}
