import Testing

@testable import Arguments

/// The candidates at the cursor of an unfinished command line.
@Suite struct CompletionTests {
    struct Options: Sendable {
        enum Format: String, CaseIterable, Sendable { case text, table, json }

        var format = Format.text
        var bot: String?
        var folder: String?
        var isLong = false
        var ring: String?
        var files: [String] = []
    }

    private let table = VerbTable(
        "tool", summary: "Does several things.",
        verbs: [
            Verb(
                Command(
                    "tool show", summary: "Shows.", defaults: Options(),
                    options: [
                        .value("format", letter: "f", "FORMAT", \.format, .choice, help: "How"),
                        .value("bot", "NAME", \.bot, .text.naming(.bots), help: "Which"),
                        .value("ring-dir", "DIR", \.folder, .folder, help: "Where"),
                        .flag("long", \.isLong, help: "All of it"),
                    ],
                    operands: [
                        .one(
                            "RING", \.ring, ValueReader(expecting: "a ring") { .some($0) }.naming(.rings), help: "One"),
                        .rest("FILE", \.files, .file, help: "More"),
                    ])
            ) { _ in 0 },
            Verb(Command("tool shut", summary: "Shuts.", defaults: Options())) { _ in 0 },
        ])

    private static let names: [ValueKind: [String]] = [
        .bots: ["alpha", "beta"], .rings: ["alpha", "alpha.md", "beta"], .files: ["a.csv", "b/"], .folders: ["b/"],
    ]

    private func complete(_ words: [String]) -> [String] {
        table.candidates(words) { kind, _ in Self.names[kind] ?? [] }.map(\.text)
    }

    @Test(
        "verbs, options, words and names are completed by where they stand",
        arguments: [
            ([""], ["show", "shut", "help"]), (["sh"], ["show", "shut"]), (["sho"], ["show"]), (["x"], []),
            (["--"], ["--help", "--version"]), (["help", "shu"], ["shut"]), (["help", "show", ""], []),
            ([], ["show", "shut", "help"]),
            (["show", "--"], ["--format", "--bot", "--ring-dir", "--long", "--help"]), (["show", "--f"], ["--format"]),
            (["show", "--format", ""], ["text", "table", "json"]), (["show", "--format", "t"], ["text", "table"]),
            (["show", "-f", "j"], ["json"]), (["show", "--format=j"], ["--format=json"]),
            (["show", "--format", "=", "j"], ["json"]), (["show", "--format", "="], ["text", "table", "json"]),
            (["show", "--bot", "a"], ["alpha"]), (["show", "--long", "a"], ["alpha", "alpha.md"]),
            (["show", "--bot", "alpha", "--ring-dir", ""], ["b/"]), (["show", "--long", "--bot=b"], ["--bot=beta"]),
            (["show", "alpha", ""], ["a.csv", "b/"]), (["show", "--bot", "beta", "alpha", "a.csv", "b"], ["b/"]),
            (["show", "--", "--"], []), (["show", "--", "al"], ["alpha", "alpha.md"]), (["show", "--long=t"], []),
            (["show", "--nosuch", "b"], ["beta"]), (["shut", ""], []), (["nosuch", ""], []),
        ] as [([String], [String])])
    func places(words: [String], expected: [String]) {
        #expect(complete(words) == expected)
    }

    @Test("a candidate says what it does")
    func help() {
        let verbs = table.candidates(["s"]) { _, _ in [] }
        #expect(verbs == [Candidate("show", help: "Shows."), Candidate("shut", help: "Shuts.")])
        #expect(table.candidates(["show", "--l"]) { _, _ in [] } == [Candidate("--long", help: "All of it")])
    }

    /// No line may make the completion trap, whatever its words.
    @Test("any words are taken")
    func anything() {
        let parts = ["", "-", "--", "=", "--=", "-f", "--format", "--format=", "show", "help", "alpha", "\u{0}", "é"]
        for a in parts { for b in parts { for c in parts { for d in parts { _ = complete([a, b, c, d]) } } } }
    }
}
