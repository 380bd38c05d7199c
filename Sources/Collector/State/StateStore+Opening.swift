package import Drain
internal import Glibc
package import Platform

extension StateStore {
    /// Opens what lies at a path and reads it. What cannot be believed is set aside under another name, said so, and a new one
    /// is begun.
    ///
    /// - Parameter path: of the database; its journal is `PATH-wal`.
    /// - Returns: the store, and what was kept in it; nil where nothing was.
    /// - Throws: where it can neither be read nor set aside.
    package static func open(path: String, logger: Logger) throws -> (store: StateStore, saved: SavedState?) {
        do {
            let store = try StateStore(path: path)
            return (store, try store.load())
        } catch let damage as StateDamage {
            return (try startAnew(path: path, because: damage.description, logger), nil)
        } catch let failure as StateDatabase.Failure where failure.isDamage {
            return (try startAnew(path: path, because: failure.description, logger), nil)
        }
    }

    private static func startAnew(path: String, because reason: String, _ logger: Logger) throws -> StateStore {
        let aside = freeName("\(path).damaged-\(time(nil))")
        for suffix in ["-wal", "-shm", ""] where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, aside + suffix) == 0 else {
                throw StateDamage(
                    "the state is damaged (\(reason)) and cannot be set aside: \(String(cString: strerror(errno)))")
            }
        }
        logger.error(
            "state set aside: it is damaged, and totals begin anew",
            [("file", .text(path)), ("kept_as", .text(aside)), ("reason", .text(reason))])
        return try StateStore(path: path)
    }

    private static func freeName(_ wanted: String) -> String {
        var (name, number) = (wanted, 1)
        while access(name, F_OK) == 0 {
            number += 1
            name = "\(wanted)-\(number)"
        }
        return name
    }
}
