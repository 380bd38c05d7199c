import RingReader
import TestSupport

/// The bytes of a capture, which a test changes.
struct CaptureFile {
    static let imageOffset = 65_536

    let path: String
    var bytes: [UInt8]

    init(_ path: String) {
        self.path = path
        bytes = RingFile(path).bytes()
    }

    var image: ArraySlice<UInt8> { bytes[Self.imageOffset...] }

    func word(at offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64($1 * 8) }
    }

    mutating func setWord(_ word: UInt64, at offset: Int) {
        for k in 0..<8 where offset + k < bytes.count {
            bytes[offset + k] = UInt8(truncatingIfNeeded: word >> UInt64(k * 8))
        }
    }

    /// Makes the checksum right again, as an attacker would.
    mutating func sign() {
        var checksum = Checksum()
        bytes[16...].withUnsafeBytes { checksum.update($0) }
        for k in 0..<4 { bytes[12 + k] = UInt8(truncatingIfNeeded: checksum.value >> UInt32(k * 8)) }
    }

    func save(as path: String) { RingFile.make(path, bytes) }
}
