package import CRingside
import Glibc

/// A ring's file that a test reads and damages. It gives the bytes as they are, and writes words into the file as an
/// operator or a vandal would.
///
/// It uses pread(2) and pwrite(2), which see and touch the same pages as every mapping of the file.
package struct RingFile {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    package func header() -> ringside_header { read(at: 0, as: ringside_header.self) }

    package func read<T: BitwiseCopyable>(at offset: UInt64, as type: T.Type) -> T {
        withUnsafeTemporaryAllocation(byteCount: MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment) { buffer in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            guard pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) == buffer.count else {
                fatalError("cannot read \(buffer.count) bytes at \(offset) of \(path)")
            }
            return buffer.load(as: T.self)
        }
    }

    package func write<T: BitwiseCopyable>(_ value: T, at offset: UInt64) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let written = withUnsafeBytes(of: value) { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard written == MemoryLayout<T>.size else { fatalError("cannot write at \(offset) of \(path)") }
    }

    /// Sets a metric's control word, as the operator's tool does, and counts the change.
    package func setControlWord(_ word: UInt32, ofMetric id: UInt32) {
        let header = header()
        write(word, at: header.control_words.offset + UInt64(id) * 4)
        let changes = header.control.offset + UInt64(MemoryLayout<ringside_control_line>.offset(of: \.changes)!)
        write(read(at: changes, as: UInt64.self) &+ 1, at: changes)
    }

    /// Sets the position, as if this number of records had been written.
    package func setPosition(_ position: UInt64) { write(position, at: header().producer.offset) }

    package func bytes() -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
    }

    /// Returns the content of a file of /proc, whose size is not known beforehand.
    package static func stream(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while case let count = Glibc.read(descriptor, &piece, piece.count), count > 0 { all += piece.prefix(count) }
        return all
    }

    /// Makes the file, or replaces its content by exactly these bytes.
    package static func make(_ path: String, _ bytes: [UInt8]) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, $0.count, 0) }) == bytes.count else {
            fatalError("cannot write \(path)")
        }
    }
}
