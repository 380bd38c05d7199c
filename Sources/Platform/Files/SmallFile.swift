internal import Glibc

/// Reads a file that fits into memory, including those of proc(5), which report no size before they are read.
package enum SmallFile {
    /// The reason in errno why a file could not be read.
    package static var failure: String {
        switch errno {
        case EISDIR: "it is a directory; name a file in it"
        case EFBIG: "the file is too long; expected a text of a few kilobytes"
        case let code: String(cString: strerror(code))
        }
    }

    /// Returns the whole file; nil, with errno, if it cannot be read: EFBIG if it is longer than `byteLimit`.
    ///
    /// - Parameter byteLimit: Guards against endless files, such as a device named by mistake.
    package static func contents(of path: String, byteLimit: Int = 16 << 20) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            if bytes.count > byteLimit {
                errno = EFBIG
                return nil
            }
        }
    }

    /// Returns the whole file.
    ///
    /// - Throws: ``FileError`` with the reason why it could not be read.
    package static func read(_ path: String, byteLimit: Int = 16 << 20) throws(FileError) -> [UInt8] {
        guard let bytes = contents(of: path, byteLimit: byteLimit) else {
            throw FileError("cannot read \(path): \(failure)")
        }
        return bytes
    }

    /// Returns a file's lines, without empty ones; nil, with errno, if it cannot be read.
    package static func lines(of path: String) -> [String]? {
        contents(of: path)?.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }
}
