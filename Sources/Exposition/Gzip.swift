internal import CZlib

/// The gzip format of RFC 1952, by zlib.
package enum Gzip {
    /// Compresses a body at zlib's default level: some 20 ns a byte of text.
    ///
    /// Memory: 256 KiB in addition to the result.
    ///
    /// - Returns: Nil if zlib has no memory, or the input exceeds 4 GiB.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? { bytes.withUnsafeBytes { compress($0, level: 6) } }

    /// Compresses all bytes at once.
    ///
    /// - Parameter level: 1 (fast) to 9 (small).
    /// - Returns: Nil if zlib has no memory, or the input exceeds 4 GiB.
    package static func compress(_ bytes: UnsafeRawBufferPointer, level: Int32) -> [UInt8]? {
        var stream = z_stream()
        guard bytes.count <= Int(UInt32.max), ringside_gzip_begin(&stream, level) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        guard bound <= Int(UInt32.max) else { return nil }
        var isWhole = false
        let compressed = [UInt8](unsafeUninitializedCapacity: bound) { room, count in
            stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.avail_in = UInt32(bytes.count)
            stream.next_out = room.baseAddress
            stream.avail_out = UInt32(bound)
            isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
            count = bound - Int(stream.avail_out)
        }
        return isWhole ? compressed : nil
    }
}
