internal import Glibc

/// A small file's text; nil where it cannot be read. For /proc and /sys, whose sizes say nothing.
func textFile(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}

/// Its first line.
func firstLine(ofFile path: String) -> String? {
    textFile(path)?.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init)
}

/// Its last line that says something.
func lastLine(ofFile path: String) -> String? {
    textFile(path)?.split(separator: "\n").last.map(String.init)
}
