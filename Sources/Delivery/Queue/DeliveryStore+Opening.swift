package import Platform
package import SQLite

extension DeliveryStore {
    /// Opens the queues of a state directory. If the directory cannot be used, they are kept in memory, and the log
    /// says so. A damaged file is set aside, never deleted.
    ///
    /// Waits for a file that another process has locked.
    ///
    /// - Parameter directory: The collector's state directory, which no other process uses; nil keeps the queues in
    ///   memory.
    /// - Throws: ``SystemRefusal`` if there is no memory for a queue; ``LockWait/Failure`` if the file stays locked,
    ///   since its entries would not be sent.
    package static func open(
        in directory: String?, patience: LockWait = LockWait(), logger: Logger, time: TimeSource = .system
    ) throws -> DeliveryStore {
        guard let directory else { return try inMemory(time) }
        let path = "\(directory)/delivery.sqlite"
        do {
            return try patience.open(path) { try openFile(path, logger, time) }
        } catch let failure as LockWait.Failure {
            throw failure
        } catch {
            logger.error(
                "queues are kept in memory only, and a restart would lose them",
                [("file", .text(path)), ("reason", "\(error)")])
            return try inMemory(time)
        }
    }

    private static func openFile(_ path: String, _ logger: Logger, _ time: TimeSource) throws -> DeliveryStore {
        do {
            return try DeliveryStore(path: path, time: time)
        } catch {
            guard error.isDamage else { throw error }
            let aside = try DamagedDatabase.setAside(path, unixSeconds: time.unix() / 1_000_000_000)
            logger.error(
                "the queue is set aside: it is damaged, and a new one is begun",
                [("file", .text(path)), ("kept_as", .text(aside)), ("reason", .text(error.description))])
            return try DeliveryStore(path: path, time: time)
        }
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
