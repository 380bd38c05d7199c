internal import Glibc

/// Short text files, such as those of /proc, /sys and /etc.
enum SmallFile {
    private static let limitBytes = 65_536

    /// The lines of the first 64 KiB; nil where the file cannot be read.
    static func lines(_ path: String) -> [String]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limitBytes)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        return bytes.prefix(count).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }
}
