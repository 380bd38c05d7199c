package import Drain
internal import Glibc
package import Platform
internal import SQLite

extension StateStore {
    /// Opens and reads the state at a path. Entries that cannot be trusted are written to a file beside it, and the
    /// rest is restored. If nothing can be trusted, the whole file is set aside under another name and a new one is
    /// begun. Both are logged, and reported in ``setAside``.
    ///
    /// - Parameters:
    ///   - path: the path of the database. Its journal is `PATH-wal`.
    ///   - suspicion: The parts that are set aside whatever their content.
    /// - Returns: the store, and the state in it; nil if there was none.
    /// - Throws: an error if the file can neither be read nor set aside.
    package static func open(
        path: String, suspicion: StartMarker.Suspicion = .init(), logger: Logger
    ) throws -> (store: StateStore, saved: SavedState?) {
        do {
            if suspicion.isAll, access(path, F_OK) == 0 {
                throw StateDamage("the collector ended repeatedly soon after it restored this state")
            }
            let store = try StateStore(path: path)
            let found = try store.load(suspects: suspicion.bots)
            if let found { store.writeRefused(path: path, begunAnew: found.begunAnew, logger) }
            return (store, found?.saved)
        } catch let damage as StateDamage {
            return (try startAnew(path: path, because: damage.description, logger), nil)
        } catch let failure as DatabaseFailure where failure.isDamage {
            return (try startAnew(path: path, because: failure.description, logger), nil)
        }
    }

    private static func startAnew(path: String, because reason: String, _ logger: Logger) throws -> StateStore {
        let aside = try DamagedDatabase.setAside(path, unixSeconds: Int64(time(nil)))
        logger.error(
            "state set aside: it is damaged, and totals start from zero",
            [("file", .text(path)), ("kept_as", .text(aside)), ("reason", .text(reason))])
        let store = try StateStore(path: path)
        store.setAside = StateSetAside(file: aside, entryCount: 0, reason: reason, isAll: true)
        return store
    }

    /// Writes the refused entries to a file of their own. Each has a line with its name, the reason and its bytes.
    private func writeRefused(path: String, begunAnew: Set<String>, _ logger: Logger) {
        guard let first = refused.first else { return }
        let aside = UnusedPath.like("\(path).set-aside-\(time(nil))")
        let lines = refused.map { refused in
            let bytes = refused.entry.value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return "\(refused.entry.name.debugDescription)\t\(refused.reason)\t\(bytes)\n"
        }
        let isWritten = Self.write(Array(lines.joined().utf8), to: aside)
        setAside = StateSetAside(
            file: isWritten ? aside : "", entryCount: refused.count, reason: first.reason, isAll: false,
            bots: begunAnew)
        logger.error(
            "entries of the state set aside: their counts start from zero; all others are restored",
            [
                ("file", .text(path)), ("kept_as", .text(isWritten ? aside : "nowhere: it cannot be written")),
                ("entries", .integer(Int64(refused.count))), ("first", .text(first.entry.name)),
                ("reason", .text(first.reason)),
            ])
    }

    private static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
