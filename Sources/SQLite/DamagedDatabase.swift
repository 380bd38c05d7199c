internal import Glibc
internal import Platform

/// Sets a damaged database aside. It is renamed and never deleted, so that it can be inspected.
package enum DamagedDatabase {
    /// Renames a database and its journal to `PATH.damaged-TIME`, or to an unused name derived from it.
    ///
    /// - Parameter unixSeconds: The wall clock's time, for the name.
    /// - Returns: The new path of the database.
    /// - Throws: ``Failure`` if a file cannot be renamed.
    package static func setAside(_ path: String, unixSeconds: Int64) throws(Failure) -> String {
        let aside = UnusedPath.like("\(path).damaged-\(unixSeconds)")
        for suffix in ["-wal", "-shm", ""] where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, aside + suffix) == 0 else {
                throw Failure(path: path + suffix, reason: String(cString: strerror(errno)))
            }
        }
        return aside
    }

    package struct Failure: Error, CustomStringConvertible {
        let path: String
        let reason: String

        package var description: String { "\(path) is damaged and cannot be renamed: \(reason)" }
    }
}
