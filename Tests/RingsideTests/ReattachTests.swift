import Glibc
import TestSupport
import Testing

/// Tests a thread's changes to a ring while another thread emits through instruments of an earlier attach.
@Suite struct ReattachTests {
    private let directory = TemporaryRingDirectory(under: "/tmp")  // /dev/shm may forbid programs

    /// Builds the bot of Bots/reattach.c with these flags of the compiler.
    private func build(_ flags: [String]) throws -> String {
        let folder = "\(Sources.root)/Sources/CRingside"
        let sources = Sources.files(under: "Sources/CRingside").filter { $0.hasSuffix(".c") }.map {
            "\(Sources.root)/\($0)"
        }
        let program = "\(directory.path)/bot"
        let build = try ChildProcess(
            ["gcc", "-g", "-pthread", "-I\(folder)/include"] + flags
                + ["\(Sources.root)/Tests/RingsideTests/Bots/reattach.c"] + sources + ["-o", program])
        #expect(try build.wait(limitSeconds: 300) == .code(0), "\(build.standardError)")
        return program
    }

    private func run(_ program: String, _ mode: String, rounds: Int) throws -> ChildProcess {
        let bot = try ChildProcess([program, mode, "\(rounds)"], environment: ["RINGSIDE_DIR": directory.path])
        try bot.wait(limitSeconds: 300)
        return bot
    }

    @Test(
        "a thread goes on emitting while another attaches its ring again, closes it, forks, or moves it to a larger one",
        arguments: ["drop", "close", "fork", "grow"])
    func emitting(mode: String) throws {
        let bot = try run(build(["-O2"]), mode, rounds: 200)
        #expect(try bot.wait() == .code(0))
        #expect(bot.lines.last == "done", "\(bot.standardOutput)")
    }

    @Test("attaching a dropped ring again is no data race with the instruments of the first attach")
    func race() throws {
        let bot = try run(build(["-O1", "-Wno-tsan", "-fsanitize=thread"]), "drop", rounds: 60)
        if bot.standardError.contains("unexpected memory mapping") {
            print("ReattachTests: the thread sanitizer cannot run on this kernel")
            return
        }
        #expect(!bot.standardError.contains("WARNING: ThreadSanitizer"), "\(bot.standardError)")
        #expect(try bot.wait() == .code(0))
    }

    @Test("no attach leaks memory, however its life ends", arguments: ["drop", "close"])
    func leak(mode: String) throws {
        let bot = try run(build(["-O1", "-fsanitize=address"]), mode, rounds: 100)
        if bot.standardError.contains("LeakSanitizer does not work under ptrace") { return }
        #expect(try bot.wait() == .code(0), "\(bot.standardError)")
        #expect(bot.lines.last == "done")
    }
}
