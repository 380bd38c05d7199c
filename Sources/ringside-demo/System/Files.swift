internal import Glibc

/// A file operation that failed: the action, the path, and the system's answer.
struct FileError: Error, CustomStringConvertible {
    let action: String
    let path: String
    let code: Int32

    var description: String { "cannot \(action) \(path): \(String(cString: strerror(code)))" }
}

/// Returns every byte of a file or a pipe.
func readFile(_ path: String) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(action: "open", path: path, code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        if count == 0 { return bytes }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { throw FileError(action: "read", path: path, code: errno) }
        bytes += chunk[..<count]
    }
}
