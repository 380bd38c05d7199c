import TestSupport
import Testing

/// Tests the answer to a wrong command line: one line on standard error, and status 2.
@Suite struct UsageTests {
    /// A verb, as its own help describes it.
    struct VerbHelp: Sendable, CustomTestStringConvertible {
        let name: String
        /// Long names, and whether each takes a value.
        let options: [(name: String, takesValue: Bool)]

        var testDescription: String { name }
    }

    private static let verbs: [VerbHelp] = {
        let lines = ((try? Tool.run("help").output) ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        let names = lines.drop { $0 != "Verbs:" }.dropFirst().prefix { !$0.isEmpty }
            .filter { $0.prefix(3).last != " " }.compactMap { $0.split(separator: " ").first }
        return names.map { name in
            let help = (try? Tool.run("help", String(name)).output) ?? ""
            let options = help.matches(of: /\n {2}(?:-\w, | {4})--([a-z.-]+)(=?)/).map {
                (name: String($0.1), takesValue: !$0.2.isEmpty)
            }
            return VerbHelp(name: String(name), options: options)
        }
    }()

    /// Expects one line that names the mistake, and refers to the help of the verb.
    private func expectRefusal(_ arguments: [String], _ parts: [String]) throws {
        let tool = try Tool.run(arguments)
        #expect(tool.exit == .code(2) && tool.output == "", "\(arguments): \(tool.exit)")
        let end = "; see 'ringside help \(arguments[0])'\n"
        #expect(tool.errors.hasPrefix("ringside \(arguments[0]): ") && tool.errors.hasSuffix(end), "\(tool.errors)")
        #expect(tool.errors.split(separator: "\n").count == 1, "\(tool.errors)")
        for part in parts { #expect(tool.errors.contains(part), "\(arguments): \(tool.errors)") }
    }

    @Test("the verbs and their options are those that the help shows")
    func found() {
        let expected = [
            "list", "top", "dump", "tail", "capture", "replay", "import", "control", "sweep", "forget", "history",
            "report", "alerts", "doctor", "completion",
        ]
        #expect(Self.verbs.map(\.name) == expected)
        for verb in Self.verbs { #expect(verb.options.count > (verb.name == "completion" ? 1 : 2), "\(verb.name)") }
    }

    @Test("an option that is misspelt, or lacks its value, is named with the nearest right one", arguments: verbs)
    func options(verb: VerbHelp) throws {
        for option in verb.options {
            let name = "--\(option.name)"
            try expectRefusal([verb.name, "\(name)x"], ["unknown option '\(name)x'; did you mean '\(name)'?"])
            if option.takesValue {
                try expectRefusal([verb.name, name], ["option '\(name)' needs a value"])
                try expectRefusal([verb.name, "\(name)="], ["\(name) '': expected "])
            } else {
                try expectRefusal([verb.name, "\(name)=1"], ["option '\(name)' takes no value"])
            }
        }
    }

    @Test(
        "a wrong value, operand or choice of options is named, with the nearest right word",
        arguments: [
            (["list", "alpha"], ["unexpected 'alpha'"]),
            (["list", "--format", "jsno"], ["--format 'jsno'", "did you mean 'json'?"]),
            (["list", "--interval", "0s"], ["--interval '0s'", "10ms to 1h"]),
            (["list", "--collector", "h", "--collector-config", "f"], ["--collector and --collector-config exclude"]),
            (["top", "--window", "1ms"], ["--window '1ms'", "did you mean '1m'?"]),
            (["top", "--bot", ""], ["--bot ''"]),
            (["top", "--collector", "h", "--collector-config", "f"], ["--collector and --collector-config exclude"]),
            (["dump"], ["NAME|FILE is missing"]),
            (["dump", "a b"], ["NAME|FILE 'a b'"]),
            (["dump", "alpha", "beta"], ["unexpected 'beta'"]),
            (["dump", "alpha", "--format", "cvs"], ["--format 'cvs'", "did you mean 'csv'?"]),
            (["dump", "alpha", "--records", "-1"], ["--records '-1'"]),
            (["tail"], ["NAME|FILE is missing", "--trace"]),
            (["tail", "alpha", "--from", "oldset"], ["--from 'oldset'", "did you mean 'oldest'?"]),
            (["tail", "alpha", "--trace", "0"], ["--trace '0'"]),
            (["capture"], ["NAME|FILE is missing"]),
            (["capture", "a b"], ["NAME|FILE 'a b'"]),
            (["replay"], ["CAPTURE is missing"]),
            (["replay", "a.capture", "--at", "edn"], ["--at 'edn'", "did you mean 'end'?"]),
            (["replay", "a.capture", "--log.level", "eror"], ["--log.level 'eror'", "did you mean 'error'?"]),
            (["import"], ["CSV_FILE is missing"]),
            (["import", "a.csv"], ["--ring is missing"]),
            (["import", "a.csv", "--ring", "a b"], ["--ring 'a b'"]),
            (
                ["import", "a.csv", "--ring", "a", "--time", "orignal"],
                ["--time 'orignal'", "did you mean 'original'?"]
            ),
            (["control"], ["NAME is missing", "--all"]),
            (["control", "a b"], ["NAME 'a b'"]),
            (["control", "alpha", "--enable", "--disable"], ["--enable and --disable exclude each other"]),
            (["control", "alpha", "--show", "--enable"], ["--show changes nothing"]),
            (["control", "alpha", "--all"], ["--all means every ring"]),
            (["control", "--all", "--metric", "x", "--enable"], ["--metric needs a NAME: --all changes"]),
            (["control", "alpha", "--sampling", "1/0"], ["--sampling '1/0'"]),
            (["sweep", "--older-than", "soon"], ["--older-than 'soon'"]),
            (["sweep", "alpha"], ["unexpected 'alpha'"]),
            (["forget"], ["BOT is missing"]),
            (["forget", "alpha.md"], ["BOT 'alpha.md'", "without a lane"]),
            (["forget", "a", "--collector", "h", "--collector-config", "f"], ["--collector and --collector-config"]),
            (["history", "--from", "soon"], ["--from 'soon'", "RFC 3339"]),
            (["history", "--to", "soon"], ["--to 'soon'", "RFC 3339"]),
            (["history", "--step", "1s"], ["--step '1s'", "whole minutes"]),
            (["history", "--label", "side"], ["--label 'side'", "NAME=VALUE"]),
            (["history", "--metric", "x", "--format", "jsn"], ["--format 'jsn'", "did you mean 'json'?"]),
            (
                ["history", "--metric", "x", "--from", "now", "--to", "-1h"],
                ["--from, --to and --step", "not before to"]
            ),
            (["history", "--metric", "x", "--from", "-300d", "--step", "1m"], ["--step", "steps are too many"]),
            (["history", "--format", "csv"], ["--format csv is for a --metric"]),
            (["history", "--backup", "x"], ["--backup needs the file", "--state-dir or --file"]),
            (["history", "--openmetrics", "--collector", "h"], ["--openmetrics needs the file"]),
            (["history", "--by", "version"], ["--by needs the file"]),
            (["history", "--file", "f", "--compare", "-2h..-1h"], ["--compare needs two times"]),
            (["history", "--file", "f", "--compare", "x"], ["--compare 'x'", "FROM..TO"]),
            (["history", "--file", "f", "--compare", "-2h..-1h", "x"], ["FROM..TO 'x'"]),
            (["history", "--file", "f", "-1h..now"], ["FROM..TO", "--compare, which is missing"]),
            (
                ["history", "--file", "f", "--by", "v", "--compare", "-2h..-1h -1h..now"],
                ["--compare and --by exclude"]
            ),
            (["history", "--file", "f", "--state-dir", "d"], ["--file, --state-dir and --collector exclude"]),
            (["history", "--file", "f", "--collector", "h"], ["--file, --state-dir and --collector exclude"]),
            (["history", "--collector", "h", "--collector-config", "f"], ["--collector and --collector-config"]),
            (["report", "--format", "markdwon"], ["--format 'markdwon'", "did you mean 'markdown'?"]),
            (["report", "a.json", "--collector", "h"], ["FILE and --collector exclude each other"]),
            (["report", "a.json", "b.json"], ["unexpected 'b.json'"]),
            (["doctor", "--interval", "1"], ["--interval '1'"]),
            (
                ["doctor", "--collector", "h", "--collector-config", "f"],
                ["--collector and --collector-config exclude"]
            ),
        ] as [([String], [String])])
    func values(arguments: [String], parts: [String]) throws { try expectRefusal(arguments, parts) }

    @Test("a verb that is missing or misspelt is answered with the help of the command")
    func verb() throws {
        for (arguments, part) in [
            ([], "a verb is missing"), (["lsit"], "unknown verb 'lsit'; did you mean 'list'?"),
            (["help", "lsit"], "unknown verb 'lsit'; did you mean 'list'?"),
            (["--verison"], "unknown option '--verison'; did you mean '--version'?"),
        ] {
            let tool = try Tool.run(arguments)
            #expect(tool.exit == .code(2) && tool.output == "")
            #expect(tool.errors == "ringside: \(part); see 'ringside --help'\n")
        }
    }
}
