/// The width of text on a terminal, in cells.
extension String {
    /// Letters of East Asian scripts and emoji take two cells, combining marks none.
    var cells: Int { reduce(0) { $0 + $1.cells } }

    /// Returns the text in that many cells: filled with blanks, or with `…` in place of its middle. So names that differ
    /// at their ends stay different.
    func fitted(to width: Int) -> String {
        let own = cells
        if own <= width { return self + String(repeating: " ", count: width - own) }
        guard width > 1 else { return String(repeating: " ", count: max(0, width)) }
        let first = prefix(cells: (width - 1) / 2)
        let last = String(String(reversed()).prefix(cells: width - 1 - first.cells).reversed())
        let cut = "\(first)…\(last)"
        return cut + String(repeating: " ", count: width - cut.cells)
    }

    /// Returns as much of the beginning as has room.
    func prefix(cells width: Int) -> String {
        var (text, used) = ("", 0)
        for character in self {
            used += character.cells
            guard used <= width else { break }
            text.append(character)
        }
        return text
    }
}

extension Character {
    fileprivate var cells: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        if scalar.isASCII { return 1 }
        if unicodeScalars.contains(where: \.properties.isEmojiPresentation) { return 2 }
        // An emoji in colour by its variation selector.
        if unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return Self.wide.contains { $0.contains(scalar.value) } ? 2 : 1
        }
    }

    /// The scripts that Unicode's East Asian Width (UAX #11) has as wide.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
