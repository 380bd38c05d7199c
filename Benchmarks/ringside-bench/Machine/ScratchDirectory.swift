internal import Glibc

/// A ring directory of this run's own. It is removed with all its files.
final class ScratchDirectory: Sendable {
    let path: String

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: ``Failure`` if no directory can be made.
    init() throws {
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/ringside-bench-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw Failure(description: "cannot make a directory under \(parent): \(String(cString: strerror(errno)))")
        }
        path = String(cString: made)
    }

    deinit {
        for name in names(in: path) { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}
