/// A key of the screen of `ringside top`.
enum TopKey: Equatable {
    case character(Character)
    case up, down, pageUp, pageDown, home, end
    case enter, escape, backspace
    /// The terminal has another size now.
    case resize
}

/// What a person has chosen on the screen of `ringside top`.
struct TopState: Equatable {
    private(set) var window: TopWindow
    /// The figure that ranks; nil is the order of registration.
    private(set) var sort: RankingFigure?
    private(set) var isReversed = false
    /// Bots and instruments with this text in their names are shown.
    private(set) var filter = ""
    /// Whether keys go into the filter.
    private(set) var isFiltering = false
    private(set) var isPaused = false
    private(set) var showsHelp = false
    /// The first instrument in sight. It may be beyond the last one.
    private(set) var offset = 0
    private(set) var isOver = false

    init(window: TopWindow, sort: RankingFigure?) {
        (self.window, self.sort) = (window, sort)
    }

    /// Acts on a key.
    ///
    /// - Parameters:
    ///   - page: The number of instruments in sight.
    ///   - count: The number of instruments.
    mutating func press(_ key: TopKey, page: Int, count: Int) {
        if isFiltering, type(key) { return }
        if showsHelp, key != .resize, key != .character("q") {
            showsHelp = false
            return
        }
        switch key {
        case .character(let character): press(character, page: page, count: count)
        case .up: scroll(by: -1, page, count)
        case .down: scroll(by: 1, page, count)
        case .pageUp: scroll(by: -max(1, page), page, count)
        case .pageDown: scroll(by: max(1, page), page, count)
        case .home: offset = 0
        case .end: scroll(by: count, page, count)
        case .escape: filter = ""
        case .enter, .backspace, .resize: break
        }
    }

    private mutating func press(_ character: Character, page: Int, count: Int) {
        switch character {
        case "q": isOver = true
        case "?", "h": showsHelp = true
        case " ", "p": isPaused.toggle()
        case "1", "2", "3": window = TopWindow.allCases[character.wholeNumberValue.map { $0 - 1 } ?? 0]
        case "w": window = next(after: window, in: TopWindow.allCases)
        case "s", ">": sort = next(after: sort, in: Self.sorts)
        case "<": sort = next(after: sort, in: Self.sorts.reversed())
        case "r": isReversed.toggle()
        case "/": isFiltering = true
        case "k": scroll(by: -1, page, count)
        case "j": scroll(by: 1, page, count)
        default: break
        }
    }

    private static let sorts: [RankingFigure?] = [nil, .rate, .p50, .p95, .p99, .p999, .max, .lost]

    private func next<Choice: Equatable>(after choice: Choice, in choices: [Choice]) -> Choice {
        choices[((choices.firstIndex(of: choice) ?? 0) + 1) % choices.count]
    }

    /// Types into the filter.
    ///
    /// - Returns: Whether the key was one for the filter.
    private mutating func type(_ key: TopKey) -> Bool {
        switch key {
        case .character(let character): filter.append(character)
        case .backspace: filter = String(filter.dropLast())
        case .enter: isFiltering = false
        case .escape: (filter, isFiltering) = ("", false)
        case .up, .down, .pageUp, .pageDown, .home, .end, .resize: return false
        }
        offset = 0
        return true
    }

    private mutating func scroll(by lines: Int, _ page: Int, _ count: Int) {
        offset = max(0, min(min(offset, count) + lines, count - page))
    }
}
