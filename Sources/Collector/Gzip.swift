internal import CZlib

/// The gzip form of RFC 1952, made by zlib.
package enum Gzip {
    /// Compresses all at once.
    ///
    /// - Parameter level: 1 (fast) to 9 (small).
    /// - Returns: Nil where zlib has no memory, or there is more than 4 GiB.
    package static func compress(_ bytes: UnsafeRawBufferPointer, level: Int32 = defaultLevel) -> [UInt8]? {
        guard bytes.count <= Int(UInt32.max) else { return nil }
        var stream = z_stream()
        // 15 bits of window, and 16 more for gzip's header and checksum; 8 is zlib's own default for memory.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        guard bound <= Int(UInt32.max) else { return nil }
        var isWhole = false
        let compressed = [UInt8](unsafeUninitializedCapacity: bound) { room, count in
            stream.next_in = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.avail_in = UInt32(bytes.count)
            stream.next_out = room.baseAddress
            stream.avail_out = UInt32(bound)
            isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
            count = bound - Int(stream.avail_out)
        }
        return isWhole ? compressed : nil
    }

    /// What a scrape is compressed with.
    package static let defaultLevel: Int32 = 1
}
