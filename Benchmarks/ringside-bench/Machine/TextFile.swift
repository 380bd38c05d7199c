internal import Glibc

/// Returns a small file's text; nil if it cannot be read. It is for /proc and /sys, whose sizes do not count.
func textFile(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}

/// Returns the first line of a file.
func firstLine(ofFile path: String) -> String? {
    textFile(path)?.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init)
}

/// Returns the last line of a file that is not empty.
func lastLine(ofFile path: String) -> String? {
    textFile(path)?.split(separator: "\n").last.map(String.init)
}
