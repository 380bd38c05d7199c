import CZlib
import TestSupport
import Testing

@testable import Collector

@Suite struct GzipTests {
    /// zlib's own way back; nil where it is no gzip.
    static func decompress(_ bytes: [UInt8], count: Int) -> [UInt8]? {
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

    @Test("bytes come back as they were, at every level", arguments: [0, 1, 100, 70_000, 1_000_000])
    func roundTrip(count: Int) throws {
        var random = SeededGenerator(seed: 3)
        let noise = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let text = (0..<count).map { UInt8(truncatingIfNeeded: ($0 / 7) & 0x3f) }
        for (bytes, level) in [noise, text].flatMap({ bytes in (1...9).map { (bytes, Int32($0)) } }) {
            let compressed = try #require(bytes.withUnsafeBytes { Gzip.compress($0, level: level) })
            #expect(Array(compressed.prefix(3)) == [0x1f, 0x8b, 8])
            #expect(Self.decompress(compressed, count: count) == bytes)
        }
    }
}
