/// The kind of thing that a value names, so that a shell can complete it.
package enum ValueKind: Hashable, Sendable {
    case bots, rings, metrics, files, folders
}

/// A word that may stand at the cursor.
package struct Candidate: Hashable, Sendable {
    package let text: String
    /// A description of the word; "" if it has none.
    package let help: String

    package init(_ text: String, help: String = "") {
        self.text = text
        self.help = help
    }
}

/// The words of an unfinished command line. The last one is being written.
struct UnfinishedLine {
    let before: [String]
    let partial: String
    /// The text before the value within the same word, such as `--format=`; "" if the shell treats the value as a word
    /// of its own.
    let prefix: String

    /// - Parameter words: The words after the command's name. bash makes `--format=j` three words.
    init(_ words: [String]) {
        var words = words
        var isSplit = false
        if words.last == "=", words.count > 1 { words.append("") }
        while let equals = words.firstIndex(of: "="), equals > 0, equals + 1 < words.count {
            isSplit = equals + 2 == words.count
            words.replaceSubrange(equals - 1...equals + 1, with: ["\(words[equals - 1])=\(words[equals + 1])"])
        }
        let last = words.last ?? ""
        before = Array(words.dropLast())
        if last.hasPrefix("--"), let equals = last.firstIndex(of: "=") {
            partial = String(last[last.index(after: equals)...])
            prefix = isSplit ? "" : String(last[...equals])
            option = String(last[..<equals].dropFirst(2))
        } else {
            (partial, prefix, option) = (last, "", nil)
        }
    }

    /// The option whose value is written in the same word, without its dashes; nil if there is none.
    let option: String?
}

extension ValueReader {
    /// Returns the accepted words and the existing names that begin with the typed text.
    func candidates(_ line: UnfinishedLine, names: (ValueKind, _ partial: String) -> [String]) -> [Candidate] {
        completed(words + kinds.flatMap { names($0, line.partial) }, line)
    }
}

private func completed(_ texts: [String], _ line: UnfinishedLine) -> [Candidate] {
    texts.filter { $0.hasPrefix(line.partial) }.map { Candidate(line.prefix + $0) }
}

extension Command {
    /// Returns the words that may stand at the cursor.
    ///
    /// - Parameter names: Returns the names of a kind that exist now. Names that do not begin with `partial` are left
    ///   out.
    func candidates(
        _ words: [String], names: (ValueKind, _ partial: String) -> [String]
    ) -> [Candidate] {
        let line = UnfinishedLine(words)
        var operandsBefore = 0
        var awaiting: Option<Options>?
        var isOperandsOnly = false
        for word in line.before {
            if awaiting != nil {
                awaiting = nil
            } else if isOperandsOnly || !word.hasPrefix("-") || word == "-" {
                operandsBefore += 1
            } else if word == "--" {
                isOperandsOnly = true
            } else {
                awaiting = options.first {
                    $0.placeholder != nil && (word == "--\($0.name)" || $0.letter.map { word == "-\($0)" } ?? false)
                }
            }
        }
        if let named = line.option { awaiting = options.first { $0.name == named && $0.placeholder != nil } }
        if let awaiting { return awaiting.candidates(line, names) }
        if line.option != nil { return [] }
        if line.partial.hasPrefix("-"), !isOperandsOnly {
            let own = options.map { ("--\($0.name)", $0.help) } + [("--help", "Show this help and exit")]
            return own.filter { $0.0.hasPrefix(line.partial) }.map { Candidate($0.0, help: $0.1) }
        }
        let operand = operandsBefore < operands.count ? operands[operandsBefore] : operands.last { $0.isRepeated }
        return operand?.candidates(line, names) ?? []
    }
}

extension VerbTable {
    /// Returns the words that may stand at the cursor: verbs, options, or values of an option or operand.
    ///
    /// - Parameters:
    ///   - words: The words after the command's name. The last one is being written, and may be empty.
    ///   - names: Returns the names of a kind that exist now, given the typed part of a name.
    package func candidates(
        _ words: [String], names: (ValueKind, _ partial: String) -> [String]
    ) -> [Candidate] {
        let partial = words.last ?? ""
        guard words.count > 1, let first = words.first else {
            let standard = [Candidate("--help", help: "Show this help and exit"), Candidate("--version")]
            let own = partial.hasPrefix("-") ? standard : verbs.map { Candidate($0.name, help: $0.summary) }
            return (own + (partial.hasPrefix("-") ? [] : [Candidate("help", help: "Shows the options of a verb.")]))
                .filter { $0.text.hasPrefix(partial) }
        }
        if first == "help" {
            guard words.count == 2 else { return [] }
            return verbs.map { Candidate($0.name, help: $0.summary) }.filter { $0.text.hasPrefix(partial) }
        }
        return verbs.first { $0.name == first }?.candidates(Array(words.dropFirst()), names) ?? []
    }
}
