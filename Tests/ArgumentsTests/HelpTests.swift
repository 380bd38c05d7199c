import Testing

@testable import Arguments

@Suite struct HelpTests {
    private let lines = trial.help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

    @Test("the usage line names the operands")
    func usage() {
        #expect(lines[0] == "Usage: trial [OPTION]... SOURCE [TARGET]...")
    }

    @Test("each option stands with its letter, its range and its default")
    func entries() {
        #expect(trial.help.contains("  -b, --bots=N "))
        #expect(trial.help.contains("Bots to run (1 to 64, default 1)"))
        #expect(trial.help.contains("Events of one bot (0 or more, default 1000)"))
        #expect(trial.help.contains("Longest sleep (1ns or more, default 100ms)"))
        #expect(trial.help.contains("Where to listen (default 127.0.0.1:8000)"))
        #expect(trial.help.contains("(logfmt|json, default logfmt)"))
        #expect(trial.help.contains("A ring to watch (may be repeated)"))
        #expect(trial.help.contains("Configuration\n"))
    }

    @Test("the texts of all options begin in one column")
    func alignment() throws {
        let starts = ["Bots to run", "Events of one bot", "Start anew", "Show the version"].map { text in
            lines.first { $0.contains(text) }.flatMap { $0.range(of: text) }
        }
        #expect(Set(starts.compactMap { $0 }).count == 1)
        #expect(!starts.contains(nil))
    }

    @Test("no line is longer than 100 columns and none ends in a blank")
    func wrapping() {
        let long = Command(
            "long", summary: String(repeating: "word ", count: 80), defaults: TrialOptions(),
            options: [
                .flag("a-flag", \.isFresh, help: String(repeating: "explained ", count: 40)),
                .flag("an-option-with-a-name-longer-than-the-column", \.isFresh, help: "More"),
            ])
        for line in long.help.split(separator: "\n") {
            #expect(line.count <= 100)
            #expect(line.last != " ")
        }
        #expect(long.help.contains("--an-option-with-a-name-longer-than-the-column\n"))
    }

    @Test("examples and details are shown")
    func examples() {
        #expect(trial.help.hasSuffix("\nObeys TRIAL.\n\nExamples:\n  Three bots:\n    trial --bots 3 a\n"))
    }
}

extension String {
    /// Returns the beginning of a text, in characters.
    fileprivate func range(of text: String) -> Int? {
        indices.first { self[$0...].hasPrefix(text) }.map { distance(from: startIndex, to: $0) }
    }
}
