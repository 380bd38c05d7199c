internal import CZlib

/// Bytes in the form of gzip (RFC 1952).
enum Gzip {
    /// Some 20 ns a byte of text; memory 256 KiB beside the result.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        // Fails for want of memory alone, or where the header and the library disagree.
        precondition(ringside_gzip_begin(&stream) == Z_OK, "zlib cannot begin")
        defer { deflateEnd(&stream) }
        var input = bytes
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        return input.withUnsafeMutableBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(bound)
                let code = deflate(&stream, Z_FINISH)
                precondition(code == Z_STREAM_END, "zlib's bound was too small")
                count = bound - Int(stream.avail_out)
            }
        }
    }
}
