import Glibc
import TestSupport

/// Runs calls that must be refused as nobody, if the tests run as root. Permissions do not bind root.
enum OrdinaryUser {
    static var isNeeded: Bool { geteuid() == 0 }
    static let id: uid_t = 65534

    /// Runs a probe in a ring directory and returns the lines that it printed.
    static func run(_ arguments: [String], in directory: String) throws -> [Substring] {
        let child = try ChildProcess(
            arguments + (isNeeded ? ["uid=\(id)"] : []),
            environment: ["RINGSIDE_DIR": directory, "RINGSIDE_CAPACITY": "1024"])
        try child.wait()
        return child.lines
    }
}

/// A tmpfs of its own over a directory, for as long as this object lives.
final class SmallFileSystem {
    struct Refused: Error {
        let errno: Int32
    }

    private var path: String?

    init(bytes: Int, at path: String) throws {
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)") == 0 else { throw Refused(errno: errno) }
        self.path = path
    }

    func remove() {
        if let path { umount2(path, Int32(MNT_DETACH)) }
        path = nil
    }

    deinit { remove() }
}
