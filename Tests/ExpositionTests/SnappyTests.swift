import FoundationEssentials
import TestSupport
import Testing

@testable import Exposition

@Suite("Snappy's block format") struct SnappyTests {
    private struct Answer: Decodable {
        let wrong: [String]
        let count: Int
    }

    @Test("another snappy reads back what is compressed here, and the reverse")
    func bothWays() throws {
        let blocks = Self.blocks(seed: 20_261_122)
        let folder = TemporaryRingDirectory(under: "/tmp")
        try Data(Decoded.framed(blocks.flatMap { [$0, Snappy.compress($0)] }))
            .write(to: URL(filePath: "\(folder.path)/blocks"))
        let answer: Answer = try Python.run(
            Decoded.script, ["snappy", "\(folder.path)/blocks", "\(folder.path)/answer"])
        #expect(answer.wrong == [])
        #expect(answer.count == blocks.count)
        var rest = [UInt8](try Data(contentsOf: URL(filePath: "\(folder.path)/answer")))[...]
        for block in blocks {
            let length = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(8)
            #expect(try SnappyReader.decompress(Array(rest.prefix(length))) == block)
            rest = rest.dropFirst(length)
        }
    }

    @Test("repetitions near and far are found, and data without any grows by next to nothing")
    func sizes() {
        let text = Array(String(repeating: "bot=\"alpha\",lane=\"md\",symbol=\"AAPL\" ", count: 1000).utf8)
        #expect(Snappy.compress(text).count * 15 < text.count)
        var random = SeededGenerator(seed: 3)
        let block = (0..<30_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(Snappy.compress(block + block).count < 33_000)
        #expect(Snappy.compress(block).count < 30_100)
        #expect(Snappy.compress([]) == [0])
    }

    @Test("each form of literal and copy is read back, at every length and distance where the form changes")
    func forms() throws {
        var random = SeededGenerator(seed: 4)
        let noise = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
        for distance in [1, 2, 3, 4, 7, 100, 2047, 2048, 2049, 4096] {
            for length in [4, 5, 11, 12, 59, 60, 61, 63, 64, 65, 67, 68, 69, 127, 128, 132, 300] {
                let block = noise + Self.repeating(noise.suffix(distance), length) + noise.reversed()
                #expect(try SnappyReader.decompress(Snappy.compress(block)) == block, "\(distance) \(length)")
            }
        }
        for length in [1, 59, 60, 61, 62, 255, 256, 257, 258, 4999] {
            let block = Array(noise.prefix(length))
            #expect(try SnappyReader.decompress(Snappy.compress(block)) == block)
        }
    }

    private static func repeating(_ bytes: ArraySlice<UInt8>, _ count: Int) -> [UInt8] {
        (0..<count).map { bytes[bytes.startIndex + $0 % bytes.count] }
    }

    /// Returns noise, runs, words and mixtures of them. Their lengths are around those at which something changes.
    private static func blocks(seed: UInt64) -> [[UInt8]] {
        var random = SeededGenerator(seed: seed)
        let words = (0..<40).map { _ in
            (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        var blocks: [[UInt8]] = []
        for length in [0, 1, 3, 4, 14, 15, 16, 17, 60, 61, 1000, 65_535, 65_536, 65_537, 65_552, 200_000] {
            blocks.append([UInt8](repeating: 7, count: length))
            blocks.append((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
            blocks.append((0..<length).map { UInt8($0 % 251) })
        }
        for _ in 0..<150 {
            var block: [UInt8] = []
            let length = Int.random(in: 1...Int.random(in: 1...90_000, using: &random), using: &random)
            while block.count < length {
                switch Int.random(in: 0...3, using: &random) {
                case 0:
                    block += (0..<Int.random(in: 1...300, using: &random)).map { _ in
                        .random(in: 0...255, using: &random)
                    }
                case 1:
                    block += [UInt8](
                        repeating: .random(in: 0...3, using: &random), count: .random(in: 1...200, using: &random))
                default: block += words.randomElement(using: &random)!
                }
            }
            blocks.append(block)
        }
        return blocks
    }
}
