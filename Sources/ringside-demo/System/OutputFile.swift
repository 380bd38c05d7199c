internal import Glibc

/// A file that is written through a buffer. It appears whole under its name, or not at all: rename(2) replaces the old
/// file in one step. A file that is not regular, such as a pipe or /dev/stdout, is written directly.
struct OutputFile: ~Copyable {
    private static let bufferByteCount = 1 << 20

    private let path: String
    private let writtenPath: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ path: String) throws(FileError) {
        self.path = path
        writtenPath = Self.isReplaceable(path) ? "\(path).\(getpid()).part" : path
        descriptor = open(writtenPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileError(action: "create", path: writtenPath, code: errno) }
        buffer.reserveCapacity(Self.bufferByteCount + 4096)
    }

    deinit { close(descriptor) }

    /// Lets `body` append to the buffer, and writes it whenever it has grown to a mebibyte.
    mutating func append(_ body: (inout [UInt8]) -> Void) throws(FileError) {
        body(&buffer)
        if buffer.count >= Self.bufferByteCount { try flush() }
    }

    /// Writes the rest and gives the file its name.
    mutating func commit() throws(FileError) {
        try flush()
        guard writtenPath == path || rename(writtenPath, path) == 0 else { throw failure("make", path) }
    }

    /// Checks whether a file can be made under the name. So a typing error is found before the run and not at its end.
    static func check(_ path: String) throws(FileError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard access(isReplaceable(path) ? folder : path, W_OK) == 0 else {
            throw FileError(action: "write", path: path, code: errno)
        }
    }

    private static func isReplaceable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    /// Removes the unfinished file, and returns the error.
    private func failure(_ action: String, _ path: String) -> FileError {
        let error = FileError(action: action, path: path, code: errno)
        if writtenPath != self.path { unlink(writtenPath) }
        return error
    }

    private mutating func flush() throws(FileError) {
        var sent = 0
        while sent < buffer.count {
            let count = buffer.withUnsafeBytes { write(descriptor, $0.baseAddress! + sent, $0.count - sent) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure("write", writtenPath) }
            sent += count
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
