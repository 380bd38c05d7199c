/// The width at which help is wrapped, in columns.
private let helpColumns = 100
/// The width of the left column. A wider entry gets a line of its own.
private let widestEntry = 34

extension Command {
    /// The text of `--help`.
    package var help: String {
        let operandsUsage = operands.map { " \($0.usage)" }.joined()
        var text = "Usage: \(name) [OPTION]...\(operandsUsage)\n" + wrapped(summary, indent: 0)
        text += section("Operands", operands.map { ($0.placeholder, $0.help) })
        text += section("Options", options.map(entry) + standardEntries)
        return text + paragraphs(details) + exampleSection(examples)
    }

    private func entry(_ option: Option<Options>) -> (String, String) {
        let letter = option.letter.map { "-\($0), " } ?? "    "
        let placeholder = option.placeholder.map { "=\($0)" } ?? ""
        let remark = option.remark(defaults)
        return ("\(letter)--\(option.name)\(placeholder)", option.help + (remark.isEmpty ? "" : " (\(remark))"))
    }
}

let standardEntries = [
    ("-h, --help", "Show this help and exit"), ("    --version", "Show the version and exit"),
]

/// Returns a title and two aligned columns; nothing if there is no entry.
func section(_ title: String, _ entries: [(left: String, right: String)]) -> String {
    guard !entries.isEmpty else { return "" }
    let width = min(entries.map(\.left.count).max()!, widestEntry)
    let indent = width + 4
    return entries.reduce("\n\(title):\n") { text, entry in
        let right = wrapped(entry.right, indent: indent)
        guard entry.left.count <= width else { return text + "  \(entry.left)\n" + right }
        return text + "  \(entry.left)" + right.dropFirst(2 + entry.left.count)
    }
}

func paragraphs(_ text: String) -> String {
    text.isEmpty ? "" : text.split(separator: "\n").map { "\n" + wrapped(String($0), indent: 0) }.joined()
}

func exampleSection(_ examples: [Example]) -> String {
    guard !examples.isEmpty else { return "" }
    return examples.reduce("\nExamples:\n") { $0 + "  \($1.purpose):\n    \($1.line)\n" }
}

/// Wraps the text into lines of at most `helpColumns`, each indented and ended. Never breaks a word.
func wrapped(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    for word in text.split(separator: " ") {
        if let last = lines.last, indent + last.count + 1 + word.count <= helpColumns {
            lines[lines.count - 1] += " " + word
        } else {
            lines.append(String(word))
        }
    }
    return lines.map { margin + $0 + "\n" }.joined()
}
