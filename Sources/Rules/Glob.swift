/// A pattern for names: `*` stands for any bytes, `?` for one byte, and every other byte for itself.
package struct Glob: Hashable, Sendable, CustomStringConvertible {
    private let pattern: [UInt8]

    package init(_ pattern: String) { self.pattern = Array(pattern.utf8) }

    /// The pattern of every name.
    package static let all = Glob("*")

    package var description: String { String(decoding: pattern, as: UTF8.self) }

    /// Returns whether the whole name matches. Cost: linear in the name; at worst, the length of the name times that of
    /// the pattern.
    package func matches(_ name: String) -> Bool {
        if pattern.count == 1, pattern[0] == UInt8(ascii: "*") { return true }
        let name = Array(name.utf8)
        var (place, position) = (0, 0)
        // The place to continue at if the text after the last star does not match. The star takes one more byte then.
        var retry: (place: Int, position: Int)?
        while position < name.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                place += 1
                retry = (place, position)
            } else if place < pattern.count, pattern[place] == UInt8(ascii: "?") || pattern[place] == name[position] {
                (place, position) = (place + 1, position + 1)
            } else if let last = retry {
                retry = (last.place, last.position + 1)
                (place, position) = (last.place, last.position + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
