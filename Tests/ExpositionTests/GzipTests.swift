import TestSupport
import Testing

@testable import Exposition

@Suite struct GzipTests {
    @Test("bytes come back as they were, at every level", arguments: [0, 1, 100, 70_000, 1_000_000])
    func roundTrip(count: Int) throws {
        var random = SeededGenerator(seed: 3)
        let noise = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let text = (0..<count).map { UInt8(truncatingIfNeeded: ($0 / 7) & 0x3f) }
        for (bytes, level) in [noise, text].flatMap({ bytes in (1...9).map { (bytes, Int32($0)) } }) {
            let compressed = try #require(bytes.withUnsafeBytes { Gzip.compress($0, level: level) })
            #expect(Array(compressed.prefix(3)) == [0x1f, 0x8b, 8])
            #expect(gunzip(compressed, count: count) == bytes)
        }
    }
}
