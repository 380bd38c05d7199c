import Arguments
import Testing

@testable import ringside_demo

@Suite("Options")
struct OptionsTests {
    private func parse(_ arguments: String...) throws -> DemoOptions {
        guard case .run(let options) = try DemoOptions.command.parse(["ringside-demo"] + arguments) else {
            throw UnexpectedText()
        }
        return options
    }

    private struct UnexpectedText: Error {}

    @Test("without options it is one fresh bot at a thousand events a second until it is stopped")
    func defaults() throws {
        let options = try parse()
        #expect(options.botCount == 1 && options.namePrefix == "demo" && !options.isResumed)
        #expect(options.eventsPerSecond == 1_000 && options.durationNanoseconds == nil)
        #expect(options.noteTaking == .none)
    }

    @Test("every option of the agreement is understood")
    func everything() throws {
        let options = try parse(
            "--bots", "4", "--name", "alpha", "--resume", "--rate", "20000", "--duration", "20", "--seed", "9",
            "--ring-dir", "/tmp/rings", "--feed", "f.csv", "--loop", "--linger", "0.5", "--report", "r.json",
            "--exact", "e.txt", "--fault", "disconnect@5+2", "--fault", "api-down@9")
        #expect(options.botCount == 4 && options.namePrefix == "alpha" && options.isResumed)
        #expect(options.eventsPerSecond == 20_000 && options.durationNanoseconds == 20_000_000_000)
        #expect(options.seed == 9 && options.ringDirectory == "/tmp/rings" && options.feedPath == "f.csv")
        #expect(options.isLooped && options.lingerNanoseconds == 500_000_000)
        #expect(options.reportPath == "r.json" && options.exactPath == "e.txt" && options.noteTaking == .everyValue)
        #expect(options.faults.map(\.kind) == [.disconnect, .apiDown])
    }

    @Test("the page is served at an address of this machine alone, and links to a collector")
    func page() throws {
        #expect(try parse().page == nil)
        for text in ["127.0.0.1:8010", "127.8.9.1:0", "[::1]:8010"] {
            let page = try #require(try parse("--ui", text).page)
            #expect("\(page.host):\(page.port)" == text)
        }
        #expect(try parse("--ui", "localhost:80").page == LoopbackAddress("127.0.0.1:80"))
        #expect(try parse("--collector", "http://127.0.0.1:9000/").collectorURL == "http://127.0.0.1:9000")
    }

    @Test("a command is a line of two words, and any other line is none")
    func commands() throws {
        #expect(BotCommand("buy 2") == .order(.buy, bot: 2) && BotCommand("sell 1") == .order(.sell, bot: 1))
        #expect(BotCommand("fault 1:slow-risk@0+15") == .fault(try #require(Fault("1:slow-risk@0+15"))))
        for line in ["", "buy", "buy 0", "buy -1", "buy x", "hold 1", "buy 1 2", "fault 1", "fault fire@0", "BUY 1"] {
            #expect(BotCommand(line) == nil, "\(line)")
        }
    }

    @Test(
        "options that make no sense are refused",
        arguments: [
            ["--bots", "0"], ["--rate", "-1"], ["--duration", "soon"], ["--name", "a.b"], ["--name", "-x"],
            ["--name", ""], ["--fault", "fire@1"], ["--fault", "api-down@1+x"], ["surplus"], ["--ui", "8010"],
            ["--ui", "0.0.0.0:8010"], ["--ui", "192.168.0.1:8010"], ["--ui", "127.0.0.1:65536"],
            ["--ui", "127.0.0.1:"],
            ["--ui", "127.0.0.1:+1"], ["--ui", "[::]:8010"], ["--ui", "example.org:8010"], ["--ui", "127.1:8010"],
            ["--collector", "javascript:alert(1)"], ["--collector", "http://"], ["--collector", "http://a b"],
        ])
    func refuses(arguments: [String]) {
        #expect(throws: UsageError.self) { try DemoOptions.command.parse(["ringside-demo"] + arguments) }
    }
}
