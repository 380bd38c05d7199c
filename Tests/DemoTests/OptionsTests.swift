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

    @Test(
        "options that make no sense are refused",
        arguments: [
            ["--bots", "0"], ["--rate", "-1"], ["--duration", "soon"], ["--name", "a.b"], ["--name", "-x"],
            ["--name", ""], ["--fault", "fire@1"], ["--fault", "api-down@1+x"], ["surplus"],
        ])
    func refuses(arguments: [String]) {
        #expect(throws: UsageError.self) { try DemoOptions.command.parse(["ringside-demo"] + arguments) }
    }
}
