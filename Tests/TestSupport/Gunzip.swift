internal import CZlib

/// Decompresses by zlib. Returns nil if the bytes are not gzip.
package func gunzip(_ bytes: [UInt8], count: Int) -> [UInt8]? {
    var (stream, input) = (z_stream(), bytes)
    inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    defer { inflateEnd(&stream) }
    var isWhole = false
    let output = [UInt8](unsafeUninitializedCapacity: count + 1) { room, used in
        input.withUnsafeMutableBufferPointer {
            (stream.next_in, stream.avail_in) = ($0.baseAddress, UInt32($0.count))
            (stream.next_out, stream.avail_out) = (room.baseAddress, UInt32(count + 1))
            isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END
        }
        used = count + 1 - Int(stream.avail_out)
    }
    return isWhole ? output : nil
}
