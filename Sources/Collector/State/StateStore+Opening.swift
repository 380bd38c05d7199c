package import Drain
internal import Glibc
package import Platform

extension StateStore {
    /// Opens what lies at a path and reads it. Entries that cannot be believed are written to a file beside it, and the rest is
    /// taken; where nothing can be believed, the whole file is set aside under another name and a new one is begun. Either is
    /// said, and stands in ``setAside``.
    ///
    /// - Parameters:
    ///   - path: of the database; its journal is `PATH-wal`.
    ///   - suspicion: What is set aside whatever it looks like.
    /// - Returns: the store, and what was kept in it; nil where nothing was.
    /// - Throws: where it can neither be read nor set aside.
    package static func open(
        path: String, suspicion: StartMarker.Suspicion = .init(), logger: Logger
    ) throws -> (store: StateStore, saved: SavedState?) {
        do {
            if suspicion.isAll, access(path, F_OK) == 0 {
                throw StateDamage("the collector ended again and again soon after it had taken it up")
            }
            let store = try StateStore(path: path)
            let found = try store.load(suspects: suspicion.bots)
            if let found { store.sayWhatWasRefused(path: path, begunAnew: found.begunAnew, logger) }
            return (store, found?.saved)
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
        let store = try StateStore(path: path)
        store.setAside = StateSetAside(file: aside, entryCount: 0, reason: reason, isAll: true)
        return store
    }

    /// Writes the entries that were refused to a file of their own: a line each, with the name, the reason and the bytes.
    private func sayWhatWasRefused(path: String, begunAnew: Set<String>, _ logger: Logger) {
        guard let first = refused.first else { return }
        let aside = Self.freeName("\(path).set-aside-\(time(nil))")
        let lines = refused.map { refused in
            let bytes = refused.entry.value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return "\(refused.entry.name.debugDescription)\t\(refused.reason)\t\(bytes)\n"
        }
        let isWritten = Self.write(Array(lines.joined().utf8), to: aside)
        setAside = StateSetAside(
            file: isWritten ? aside : "", entryCount: refused.count, reason: first.reason, isAll: false,
            bots: begunAnew)
        logger.error(
            "entries of the state set aside: what they counted begins anew, and all others go on",
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

    private static func freeName(_ wanted: String) -> String {
        var (name, number) = (wanted, 1)
        while access(name, F_OK) == 0 {
            number += 1
            name = "\(wanted)-\(number)"
        }
        return name
    }
}
