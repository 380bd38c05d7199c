internal import CRingside
internal import Glibc

/// The folder of one collector's state. It is locked so that only one collector uses it at a time.
package final class StateDirectory: Sendable {
    package let path: String
    private let lock: Int32

    package enum Failure: Error, CustomStringConvertible {
        /// Another collector has locked it. `pid` is its process id as written in the lock file, 0 if that cannot be
        /// read.
        case inUse(path: String, pid: Int32)
        /// A system call on the folder or the lock file failed.
        case system(path: String, action: String, reason: String)

        package var isInUse: Bool {
            if case .inUse = self { return true }
            return false
        }

        package var description: String {
            switch self {
            case .inUse(let path, let pid):
                "the state directory \(path) is in use by the collector with pid \(pid); choose another directory with --state-dir"
            case .system(let path, let action, let reason): "cannot \(action) \(path): \(reason)"
            }
        }
    }

    /// Creates the folder and its parents if they are missing. Locks it until the last reference ends or the process
    /// ends.
    ///
    /// - Throws: ``Failure``.
    package init(path: String) throws(Failure) {
        self.path = path
        try Self.make(path)
        let file = "\(path)/lock"
        lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw Self.failure("open", file) }
        guard ringside_claim(lock) == 0 else {
            let isHeld = errno == EAGAIN || errno == EACCES
            let failure = Self.failure("lock", file)
            let pid = Self.pid(in: lock)
            close(lock)
            throw isHeld ? .inUse(path: path, pid: pid) : failure
        }
        // The process id is for people, and for the error message of a second collector. A failure to write it is
        // harmless.
        let pid = Array("\(getpid())\n".utf8)
        if ftruncate(lock, 0) == 0 { _ = pwrite(lock, pid, pid.count, 0) }
    }

    /// Closing the descriptor releases the lock.
    deinit { close(lock) }

    package var databasePath: String { Self.databasePath(in: path) }

    /// Returns the path of the state in a folder.
    package static func databasePath(in folder: String) -> String { "\(folder)/state.sqlite" }

    private static func make(_ path: String) throws(Failure) {
        var made = ""
        for part in path.split(separator: "/") {
            made += made.isEmpty && !path.hasPrefix("/") ? part : "/\(part)"
            guard mkdir(made, 0o700) == 0 || errno == EEXIST || access(made, X_OK) == 0 else {
                throw failure("make the folder", made)
            }
        }
    }

    private static func failure(_ action: String, _ path: String) -> Failure {
        .system(path: path, action: action, reason: String(cString: strerror(errno)))
    }

    private static func pid(in descriptor: Int32) -> Int32 {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Int32(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)) ?? 0
    }

    /// Returns the default state folder: named by the port in `$STATE_DIRECTORY` (systemd's), else in
    /// `${XDG_STATE_HOME:-~/.local/state}/ringside`; nil if the environment has none of these.
    package static func defaultPath(port: UInt16) -> String? {
        // systemd separates several folders by colons.
        if let folder = variable("STATE_DIRECTORY")?.split(separator: ":").first { return "\(folder)/\(port)" }
        if let folder = variable("XDG_STATE_HOME") { return "\(folder)/ringside/\(port)" }
        return variable("HOME").map { "\($0)/.local/state/ringside/\(port)" }
    }

    private static func variable(_ name: String) -> String? {
        let value = getenv(name).map { String(cString: $0) }
        return value?.isEmpty == false ? value : nil
    }
}
