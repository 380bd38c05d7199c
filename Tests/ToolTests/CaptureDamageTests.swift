import FoundationEssentials
import RingReader
import Ringside
import TestSupport
import Testing

@Suite struct CaptureDamageTests {
    private let directory = TemporaryRingDirectory()
    private let sound: CaptureFile
    private let victim: String

    init() throws {
        try withTradingRing("alpha", in: directory)
        let path = directory.path + "/sound.capture"
        _ = try Tool.run("capture", "alpha", "--ring-dir", directory.path, "-o", path)
        sound = CaptureFile(path)
        victim = directory.path + "/victim.capture"
    }

    private func errorOfOpening(_ bytes: [UInt8]) -> CaptureError? {
        RingFile.make(victim, bytes)
        do throws(CaptureError) {
            _ = try Capture(path: victim)
            return nil
        } catch {
            return error
        }
    }

    @Test("each defect of a capture has an error of its own")
    func ladder() throws {
        #expect(errorOfOpening(sound.bytes) == nil)
        #expect(errorOfOpening([]) == .file(.tooShort(path: victim, bytes: 0)))
        #expect(errorOfOpening([UInt8]("not a capture".utf8)) == .notACapture(path: victim))
        #expect(errorOfOpening([UInt8](sound.bytes.prefix(431))) == .tooShort(path: victim, bytes: 431))
        var other = sound
        other.bytes[8] = 2
        #expect(errorOfOpening(other.bytes) == .otherVersion(path: victim, found: 2, expected: 1))
        for count in [432, 65_536, sound.bytes.count - 1] {
            let expected = UInt64(sound.bytes.count)
            #expect(
                errorOfOpening([UInt8](sound.bytes.prefix(count)))
                    == .length(path: victim, found: count, expected: expected))
        }
        #expect(
            errorOfOpening(sound.bytes + [0])
                == .length(path: victim, found: sound.bytes.count + 1, expected: UInt64(sound.bytes.count)))
        #expect(throws: CaptureError.file(.open(path: victim + "x", errno: 2))) { try Capture(path: victim + "x") }
        #expect(throws: CaptureError.file(.notARegularFile(path: directory.path))) { try Capture(path: directory.path) }
    }

    @Test("every flipped bit is noticed")
    func flips() throws {
        var random = SeededGenerator(seed: 3)
        let fields = Array(0..<432)
        let anywhere = (0..<400).map { _ in Int.random(in: 432..<sound.bytes.count, using: &random) }
        for at in fields + anywhere {
            var bytes = sound.bytes
            bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let error = try #require(errorOfOpening(bytes), "byte \(at)")
            #expect(error.description.contains(victim))
        }
    }

    @Test("a damaged capture is status 1, with the reason on standard error alone")
    func statuses() throws {
        var flipped = sound
        flipped.bytes[flipped.bytes.count - 5] ^= 0x40
        for bytes in [flipped.bytes, [UInt8](sound.bytes.prefix(70_000)), [], [UInt8](sound.bytes.dropFirst(8))] {
            RingFile.make(victim, bytes)
            for arguments in [["dump", victim], ["dump", victim, "--format", "csv"], ["tail", victim]] {
                let tool = try Tool.run(arguments)
                #expect(tool.exit == .code(1) && tool.output == "", "\(arguments)")
                #expect(tool.errors.hasPrefix("ringside ") && tool.errors.contains(victim), "\(arguments)")
            }
        }
    }

    @Test("an envelope that makes no sense is refused though its checksum is right")
    func impossible() {
        let lies: [(offset: Int, word: UInt64)] = [
            (24, 65_537), (24, 8), (24, .max), (32, .max), (40, 100), (56, 9), (56, 1 << 40 | 1), (112, 0),
            (112, 0x2f2f),
            (176, 0xff),
        ]
        for (offset, word) in lies {
            var file = sound
            file.setWord(word, at: offset)
            file.sign()
            #expect(errorOfOpening(file.bytes) == .envelope(path: victim), "\(word) at \(offset)")
        }
    }

    @Test("no bytes under a right checksum make the tool trap or hang", arguments: 0..<4)
    func hostile(_ group: Int) throws {
        for seed in 0..<25 {
            var random = SeededGenerator(seed: UInt64(group * 100 + seed))
            var file = sound
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let spans = [24..<112, 65_552..<66_048, 66_048..<67_000, 65_536 + 0x40000..<65_536 + 0x40100]
                let at = Int.random(in: spans.randomElement(using: &random)!, using: &random) & ~7
                file.setWord(
                    [0, 1, .max, .max - 1, 1 << 63, 1 << 32, random.next()].randomElement(using: &random)!, at: at)
            }
            file.setWord(UInt64(file.bytes.count), at: 16)
            file.sign()
            file.save(as: victim)
            for arguments in [
                ["dump", victim, "--format", "json"], ["dump", victim, "--format", "csv"], ["tail", victim],
            ] {
                let tool = try Tool.run(arguments)
                #expect(
                    tool.exit == .code(0) || tool.exit == .code(1) && !tool.errors.isEmpty,
                    "\(group) \(seed) \(arguments)")
            }
        }
    }
}
