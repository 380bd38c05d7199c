import CRingside
import RingReader
import Ringside
import TestSupport
import Testing

@Suite struct RingNameTests {
    /// Checks the grammar again, in a slow but readable form.
    private func isName(_ text: String) -> Bool {
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        func isWord(_ word: Substring) -> Bool {
            word.first.map(letters.contains) == true
                && word.allSatisfy { letters.contains($0) || $0 == "_" || $0 == "-" }
        }
        return text.utf8.count <= 64 && words.count <= 2 && words.allSatisfy(isWord)
    }

    private func randomName(_ random: inout SeededGenerator) -> String {
        let letters: [Character] = Array("abzAZ059__--..")
        let oddities: [Character] = ["/", " ", "\n", "é", "é", "\0", "~", "*", "٣", "\u{301}"]
        let count = [0, 1, 2, 3, 5, 8, 33, 62, 63, 64, 65, 66].randomElement(using: &random)!
        var name = (0..<count).map { _ in letters.randomElement(using: &random)! }
        if count > 0, Int.random(in: 0..<4, using: &random) == 0 {
            name[Int.random(in: 0..<count, using: &random)] = oddities.randomElement(using: &random)!
        }
        return String(name)
    }

    @Test("producer and reader take exactly the names of the grammar", arguments: 0..<8)
    func grammar(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var taken = 0
        for _ in 0..<4000 {
            let name = randomName(&random)
            let expected = isName(name)
            taken += expected ? 1 : 0
            #expect((RingName(name) != nil) == expected, "\(name.debugDescription)")
            #expect(ringside_name_is_valid(name) == (expected || isName(String(name.prefix { $0 != "\0" })) ? 1 : 0))
        }
        #expect(taken > 100)
    }

    @Test("attaching under an invalid name is an error and makes nothing", arguments: 0..<2)
    func badNames(seed: Int) {
        let directory = TemporaryRingDirectory()
        var random = SeededGenerator(seed: UInt64(100 + seed))
        for _ in 0..<500 {
            let name = randomName(&random)
            guard !isName(name) else { continue }
            let refusal = directory.refusal(name)
            #expect(refusal?.reason == .invalidName, "\(name.debugDescription)")
            #expect(refusal?.description.contains("not a ring name") == true)
        }
        #expect(directory.entries() == [])
    }

    @Test("a name is its bot, and its lane after the dot")
    func parts() throws {
        let lane = try #require(RingName("alpha.md"))
        #expect(lane.bot == "alpha" && lane.lane == "md" && lane.description == "alpha.md")
        let bot = try #require(RingName("alpha"))
        #expect(bot.bot == "alpha" && bot.lane.isEmpty && bot.description == "alpha")
    }
}
