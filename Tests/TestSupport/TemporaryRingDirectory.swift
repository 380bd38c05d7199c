import Glibc

/// A fresh ring directory. It is removed with all its files when the last reference goes.
package final class TemporaryRingDirectory: Sendable {
    package let path: String

    /// - Parameter parent: The folder in which it is made; default `/dev/shm`, where rings lie, else `/tmp`.
    package init(under parent: String = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") {
        var template = Array("\(parent)/ringside-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            fatalError("cannot make a directory under \(parent): errno \(errno)")
        }
        path = String(cString: made)
    }

    deinit { Self.remove(path) }

    /// Returns the path that the file of ring `name` has here.
    package func ring(_ name: String) -> String { "\(path)/ringside.\(name)" }

    /// Returns the names in the directory, sorted, without `.` and `..`.
    package func entries() -> [String] { Self.entries(of: path).sorted() }

    private static func entries(of path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file, or a folder with its content. Follows no link, because a test must not remove what it links to.
    private static func remove(_ path: String) {
        if unlink(path) == 0 || errno == ENOENT { return }
        for name in entries(of: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
