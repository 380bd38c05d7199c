internal import CZlib

/// A file that is kept compressed (RFC 1952).
package enum GzipFile {
    /// - Returns: Nil if the file is not there or is damaged.
    package static func read(_ path: String) -> [UInt8]? {
        guard let file = gzopen(path, "rb") else { return nil }
        defer { gzclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = gzread(file, &piece, UInt32(piece.count))
            if count < 0 { return nil }
            if count == 0 { return gzeof(file) == 1 ? bytes : nil }
            bytes += piece.prefix(Int(count))
        }
    }

    /// Compresses as well as possible, without a time in the file, so that the same bytes make the same file.
    package static func write(_ bytes: [UInt8], to path: String) {
        guard let file = gzopen(path, "wb9") else { fatalError("cannot make \(path)") }
        guard gzwrite(file, bytes, UInt32(bytes.count)) == bytes.count, gzclose(file) == Z_OK else {
            fatalError("cannot write \(path)")
        }
    }
}
