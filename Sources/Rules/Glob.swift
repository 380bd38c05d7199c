/// A pattern for names: `*` stands for any run of characters, `?` for one, everything else for itself.
package struct Glob: Hashable, Sendable, CustomStringConvertible {
    private let pattern: [UInt8]

    package init(_ pattern: String) { self.pattern = Array(pattern.utf8) }

    /// Every name.
    package static let all = Glob("*")

    package var description: String { String(decoding: pattern, as: UTF8.self) }

    /// Returns whether the whole name fits. Cost: linear in the name, times the number of stars at worst.
    package func matches(_ name: String) -> Bool {
        if pattern.count == 1, pattern[0] == UInt8(ascii: "*") { return true }
        let name = Array(name.utf8)
        var (place, position) = (0, 0)
        // Where to go on when the text after the last star does not fit: the star takes one character more.
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
