/// The name of a ring: a bot, and the lane if the bot has several.
package struct RingName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The part before the dot.
    package let bot: String
    /// The part after the dot; "" if there is none.
    package let lane: String

    /// - Parameter text: `alpha` or `alpha.md`. Nil if it is not `[A-Za-z0-9][A-Za-z0-9_-]*`, optionally with a dot and a
    ///   lane of that form, or if all of it is longer than 64 bytes.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= 64, parts.count <= 2, parts.allSatisfy(Self.isWord) else { return nil }
        bot = String(parts[0])!
        lane = parts.count == 2 ? String(parts[1])! : ""
    }

    package var description: String { lane.isEmpty ? bot : "\(bot).\(lane)" }

    package static func < (a: RingName, b: RingName) -> Bool { (a.bot, a.lane) < (b.bot, b.lane) }

    private static func isWord(_ word: Substring.UTF8View) -> Bool {
        guard let first = word.first, isAlphanumeric(first) else { return false }
        return word.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
