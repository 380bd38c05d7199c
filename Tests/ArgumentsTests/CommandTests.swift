import Testing

@testable import Arguments

enum Format: String, CaseIterable, Sendable { case logfmt, json }

struct TrialOptions: Sendable, Equatable {
    var bots = 1
    var rate = 1000.0
    var seed: UInt64 = 0
    var interval: Int64 = 100_000_000
    var address = HostAndPort(host: "127.0.0.1", port: 8000)
    var format = Format.logfmt
    var rings: [String] = []
    var config: String?
    var isFresh = false
    var source = ""
    var targets: [String] = []
}

let trial = Command(
    "trial", summary: "Tries things.", details: "Obeys TRIAL.", defaults: TrialOptions(),
    options: [
        .value("bots", letter: "b", "N", \.bots, .integer(in: 1...64), help: "Bots to run"),
        .value("rate", letter: "r", "EVENTS_PER_SECOND", \.rate, .number(in: 0...), help: "Events of one bot"),
        .value("seed", "SEED", \.seed, .integer(in: 0...), help: "Seed"),
        .value("drain.max-interval", "TIME", \.interval, .duration(), help: "Longest sleep"),
        .value("web.listen-address", "HOST:PORT", \.address, .hostAndPort, help: "Where to listen"),
        .value("log.format", "FORMAT", \.format, .choice, help: "How lines are written"),
        .values("ring", "NAME", \.rings, .text, help: "A ring to watch"),
        .value("config", "FILE", \.config, .text, help: "Configuration"),
        .flag("fresh", letter: "f", \.isFresh, help: "Start anew"),
    ],
    operands: [
        .one("SOURCE", \.source, .text, help: "Where from"), .rest("TARGET", \.targets, .text, help: "Where to"),
    ],
    examples: [Example("Three bots", "trial --bots 3 a")])

func options(_ arguments: String...) throws -> TrialOptions {
    guard case .run(let options) = try trial.parse(["trial"] + arguments) else {
        throw UsageError("showed a text", command: "test")
    }
    return options
}

func problem(_ arguments: [String]) -> String {
    do {
        return "no error: \(try trial.parse(["trial"] + arguments))"
    } catch {
        return error.description
    }
}

@Suite struct CommandTests {
    @Test("nothing but the operand gives the defaults")
    func defaults() throws {
        var expected = TrialOptions()
        expected.source = "a"
        #expect(try options("a") == expected)
    }

    @Test("each way of writing an option is understood")
    func spellings() throws {
        #expect(try options("--bots=3", "a").bots == 3)
        #expect(try options("--bots", "3", "a").bots == 3)
        #expect(try options("-b3", "a").bots == 3)
        #expect(try options("-fb", "3", "a") == options("-f", "--bots=3", "a"))
        #expect(try options("a", "--fresh").isFresh)
        #expect(try options("--web.listen-address=:9", "a").address == HostAndPort(host: "", port: 9))
        #expect(try options("--web.listen-address", "[::1]:9", "a").address == HostAndPort(host: "::1", port: 9))
    }

    @Test("every type of value reaches its place")
    func values() throws {
        let all = try options(
            "--rate=2.5", "--seed=18446744073709551615", "--drain.max-interval=250us", "--log.format=json",
            "--config=x.json", "--ring=alpha", "--ring", "beta.md", "in", "one", "two")
        #expect(all.rate == 2.5)
        #expect(all.seed == .max)
        #expect(all.interval == 250_000)
        #expect(all.format == .json)
        #expect(all.config == "x.json")
        #expect(all.rings == ["alpha", "beta.md"])
        #expect(all.source == "in")
        #expect(all.targets == ["one", "two"])
    }

    @Test("two dashes end the options, and a value may begin with a dash")
    func dashes() throws {
        #expect(try options("--", "--bots").source == "--bots")
        #expect(try options("--config", "-x", "a").config == "-x")
        #expect(try options("-", "a").source == "-")
    }

    @Test("an argument that begins with a dash and a digit is a value or an operand")
    func negativeNumbers() throws {
        #expect(try options("--config", "-40m..-15m", "-15m..now").config == "-40m..-15m")
        #expect(try options("--config=-40m..-15m", "-15m..now").source == "-15m..now")
    }

    @Test("the last of a repeated single option counts")
    func lastCounts() throws {
        #expect(try options("--bots=3", "--bots=4", "a").bots == 4)
    }

    @Test(
        "wrong usage is named in one line that leads to the help",
        arguments: [
            (["--foo", "a"], "unknown option '--foo'"),
            (["--rign=3", "a"], "unknown option '--rign'; did you mean '--ring'?"),
            (["--foo=3", "a"], "unknown option '--foo'"),
            (["-x", "a"], "unknown option '-x'"),
            (["--r", "3", "a"], "unknown option '--r'; did you mean '--rate' or '--ring'?"),
            (["--bo", "3", "a"], "unknown option '--bo'; did you mean '--bots'?"),
            (["--bo=3", "a"], "unknown option '--bo'; did you mean '--bots'?"),
            (["a", "--fre"], "unknown option '--fre'; did you mean '--fresh'?"),
            (["--config", "--bots", "--fre"], "unknown option '--fre'; did you mean '--fresh'?"),
            (["--bots"], "option '--bots' needs a value"),
            (["-b"], "option '-b' needs a value"),
            (["--fresh=1", "a"], "option '--fresh' takes no value"),
            ([], "SOURCE is missing"),
            (["--bots=0", "a"], "--bots '0': expected a whole number, 1 to 64"),
            (["--bots=99999999999999999999", "a"], "--bots '99999999999999999999': expected a whole number, 1 to 64"),
            (["--rate=nan", "a"], "--rate 'nan': expected a number, 0 or more"),
            (["--rate=inf", "a"], "--rate 'inf': expected a number, 0 or more"),
            (["--log.format=xml", "a"], "--log.format 'xml': expected one of logfmt, json"),
            (
                ["--log.format=jsno", "a"],
                "--log.format 'jsno': expected one of logfmt, json; did you mean 'json'?"
            ),
            (["--config=", "a"], "--config '': expected a text that is not empty"),
            ([""], "SOURCE '': expected a text that is not empty"),
        ])
    func wrongUsage(arguments: [String], expected: String) {
        #expect(problem(arguments) == "trial: \(expected); see 'trial --help'")
    }

    @Test("options that do not go together are refused once each is understood, and help comes before that")
    func conflicts() throws {
        let picky = Command(
            "tool picky", summary: "Wants one bot.", defaults: TrialOptions(),
            options: [.value("bots", "N", \.bots, .integer(in: 1...64), help: "Bots")],
            conflict: { $0.bots == 1 ? nil : "--bots is not 1" })
        guard case .run = try picky.parse(["tool picky", "--bots=1"]) else {
            Issue.record("it was refused")
            return
        }
        let error = #expect(throws: UsageError.self) { try picky.parse(["tool picky", "--bots=2"]) }
        #expect(error?.description == "tool picky: --bots is not 1; see 'tool help picky'")
        #expect(throws: UsageError("--bots '65': expected a whole number, 1 to 64", command: "tool picky")) {
            try picky.parse(["tool picky", "--bots=65"])
        }
        guard case .show = try picky.parse(["tool picky", "--bots=2", "--help"]) else {
            Issue.record("it was refused")
            return
        }
    }

    @Test("an operand beyond those declared is refused")
    func tooManyOperands() {
        let bare = Command("bare", summary: "Takes nothing.", defaults: TrialOptions())
        #expect(throws: UsageError("unexpected 'x'", command: "bare")) { try bare.parse(["bare", "x"]) }
    }

    @Test("help and version come before any complaint about a value")
    func helpWins() throws {
        guard case .show(let help) = try trial.parse(["trial", "--bots=0", "--help"]) else {
            Issue.record("no help")
            return
        }
        #expect(help == trial.help)
        guard case .show(let version) = try trial.parse(["trial", "--version"]) else {
            Issue.record("no version")
            return
        }
        #expect(version == "trial \(Release.version)\n")
    }

    @Test("scans at the same time do not disturb each other")
    func concurrentScans() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 1...64 {
                group.addTask { try options("--bots=\(number)", "s\(number)", "-f").bots == number }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
