import CRingside
import Ringside
import RingReader
import TestSupport
import Testing

@Suite struct SalvageTests {
    private let directory = TemporaryRingDirectory()

    @Test(
        "of a sound header, salvaging makes the same geometry as the strict reading", arguments: [2, 16, 1024, 65536])
    func sound(capacity: Int) throws {
        try withTradingRing("alpha", in: directory, capacity: capacity)
        let header = RingFile(directory.ring("alpha")).header()
        let strict = try Geometry(header: header, fileBytes: header.segment_bytes, path: "alpha")
        #expect(Geometry(salvaging: header, fileBytes: header.segment_bytes) == strict)
    }

    @Test("whatever a header says, what is salvaged lies in the file")
    func bounds() throws {
        try withTradingRing("alpha", in: directory)
        var random = SeededGenerator(seed: 11)
        for _ in 0..<2000 {
            var header = RingFile(directory.ring("alpha")).header()
            withUnsafeMutableBytes(of: &header) { bytes in
                for _ in 0..<4 {
                    bytes[Int.random(in: 64..<200, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
            }
            let fileBytes = UInt64.random(in: 512...400_000, using: &random)
            let geometry = Geometry(salvaging: header, fileBytes: fileBytes)
            for region in [
                geometry.lives, geometry.metrics, geometry.text, geometry.control, geometry.controlWords,
                geometry.producer,
                geometry.cells, geometry.records,
            ] where region.itemCount > 0 {
                #expect(region.offset >= 0 && region.offset + region.itemBytes * region.itemCount <= Int(fileBytes))
                #expect(region.offset % 8 == 0)
            }
        }
    }

    @Test("a clock that the numbers overflow saturates")
    func saturation() {
        let clock = LifeClock(ticksPerSecond: 1, source: .header, anchorTicks: 10, anchorUnixNanoseconds: .max)
        #expect(clock.unixNanoseconds(atTicks: 1 << 62) == .max)
        #expect(clock.unixNanoseconds(atTicks: 9) == .max - 1_000_000_000)
        let early = LifeClock(ticksPerSecond: 1e-9, source: .header, anchorTicks: 1 << 62, anchorUnixNanoseconds: 0)
        #expect(early.unixNanoseconds(atTicks: 0) == .min)
        #expect(early.unixNanoseconds(atTicks: 1 << 62) == 0)
    }
}
