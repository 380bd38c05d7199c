internal import CZlib

/// The CRC-32 that gzip uses (ISO-HDLC: polynomial 0x04C11DB7, reflected), over successive pieces.
package struct Checksum: Sendable {
    package private(set) var value: UInt32 = 0

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let words = bytes.bindMemory(to: UInt8.self)
        value = UInt32(truncatingIfNeeded: crc32_z(UInt(value), words.baseAddress, words.count))
    }
}
