import Testing

@testable import Arguments

@Suite struct VerbTests {
    struct Refused: Error, CustomStringConvertible { let description = "refused" }

    private let table = VerbTable(
        "tool", summary: "Does several things.",
        verbs: [
            Verb(
                Command(
                    "tool count", summary: "Counts.", defaults: TrialOptions(),
                    options: [.value("bots", "N", \.bots, .integer(in: 0...9), help: "Count")])
            ) { Int32($0.bots) },
            Verb(Command("tool fail", summary: "Fails.", defaults: TrialOptions())) { _ in throw Refused() },
        ])

    @Test("a verb gets its own options and gives the exit status")
    func dispatch() {
        #expect(table.run(["tool", "count", "--bots", "7"]) == 7)
        #expect(table.run(["tool", "count"]) == 1)
    }

    @Test("a verb that throws is status 1, wrong usage is status 2, help is status 0")
    func statuses() {
        #expect(table.run(["tool", "fail"]) == 1)
        #expect(table.run(["tool"]) == 2)
        #expect(table.run(["tool", "nothing"]) == 2)
        #expect(table.run(["tool", "--nothing"]) == 2)
        #expect(table.run(["tool", "count", "--bots", "10"]) == 2)
        #expect(table.run(["tool", "count", "x"]) == 2)
        #expect(table.run(["tool", "--help"]) == 0)
        #expect(table.run(["tool", "count", "--help"]) == 0)
        #expect(table.run(["tool", "--version"]) == 0)
        #expect(table.run(["tool", "help"]) == 0)
        #expect(table.run(["tool", "help", "--help"]) == 0)
        #expect(table.run(["tool", "help", "count"]) == 0)
        #expect(table.run(["tool", "help", "nothing"]) == 2)
    }

    @Test("the help lists the verbs with their summaries")
    func help() {
        #expect(table.help.contains("  count  Counts.\n"))
        #expect(table.help.contains("  fail   Fails.\n"))
    }

    @Test("an error within a verb names the whole command")
    func errors() throws {
        guard case .run(let (_, arguments)) = try table.find(["tool", "count", "-x"]) else {
            Issue.record("no verb")
            return
        }
        #expect(arguments == ["tool count", "-x"])
        #expect(throws: UsageError("unknown verb 'x'", command: "tool")) { try table.find(["tool", "x"]) }
        #expect(throws: UsageError("unknown verb 'cuont'; did you mean 'count'?", command: "tool")) {
            try table.find(["tool", "cuont"])
        }
    }
}
