import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

@Suite("A bot that a signal ends") struct TerminationTests {
    private let directory = TemporaryRingDirectory()

    private func start(_ words: String...) throws -> ChildProcess {
        let bot = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "terminate", "alpha"] + words,
            environment: ["RINGSIDE_DIR": directory.path])
        try Watchdog.wait(for: "the bot's rings") { bot.lines.contains("ready") }
        return bot
    }

    private func areClosed() throws -> [Bool] {
        try ["alpha", "alpha.lane"].map { name in
            let segment = try directory.segment(name)
            #expect(!segment.isProducerAlive)
            return segment.isClosed
        }
    }

    @Test("closes all its rings and dies by that signal all the same", arguments: [SIGTERM, SIGINT, SIGHUP])
    func closes(signal: Int32) throws {
        let bot = try start("close")
        #expect(bot.lines.contains("handlers 3"))
        bot.send(signal)
        #expect(try bot.wait() == .signal(signal))
        #expect(try areClosed() == [true, true])
    }

    @Test("has crashed where it did not ask for that, or where no handler can run", arguments: [[], ["close"]])
    func crashes(words: [String]) throws {
        let bot = try words.isEmpty ? start() : start("close")
        let signal = words.isEmpty ? SIGTERM : SIGKILL
        bot.send(signal)
        #expect(try bot.wait() == .signal(signal))
        #expect(try areClosed() == [false, false])
    }

    @Test("keeps its own handler, which can mark the rings itself")
    func ownHandler() throws {
        let bot = try start("handler", "close")
        #expect(bot.lines.contains("handlers 2"))
        bot.send(SIGTERM)
        #expect(try bot.wait() == .code(3))
        #expect(try areClosed() == [true, true])
    }

    @Test("goes on ignoring what it ignores")
    func ignored() throws {
        let bot = try start("ignore", "close")
        #expect(bot.lines.contains("handlers 2"))
        bot.send(SIGTERM)
        usleep(50_000)
        #expect(try directory.segment().isProducerAlive)
        bot.send(SIGINT)
        #expect(try bot.wait() == .signal(SIGINT))
        #expect(try areClosed() == [true, true])
    }

    @Test("closes nothing of its parent's when it is a forked child")
    func child() throws {
        let bot = try start("close", "fork")
        let line = try #require(bot.lines.first { $0.hasPrefix("child ") })
        let child = try #require(pid_t(line.dropFirst(6)))
        kill(child, SIGTERM)
        try Watchdog.wait(for: "the child's end") { (try? ProcessStatus.isZombie(child)) ?? true }
        let segment = try directory.segment()
        #expect(segment.isProducerAlive && !segment.isClosed)
        bot.send(SIGTERM)
        #expect(try bot.wait() == .signal(SIGTERM))
        #expect(try areClosed() == [true, true])
    }

    @Test("ends at once in the middle of an attach, and its rings can be attached again")
    func busy() throws {
        for round in 0..<10 {
            let bot = try start("close", "busy")
            usleep(UInt32(round) * 1300)
            bot.send(SIGTERM)
            #expect(try bot.wait() == .signal(SIGTERM))
            // If the signal came in the middle of an attach, nothing may be marked.
            #expect(Set(try areClosed()).count == 1)
            for name in ["alpha", "alpha.lane", "alpha.busy"] {
                try Telemetry.attach(name, options: AttachOptions(directory: directory.path)).close()
            }
        }
    }
}

private enum ProcessStatus {
    /// Returns whether a process has ended and its parent has not waited for it.
    static func isZombie(_ pid: pid_t) throws -> Bool {
        let file = try #require(fopen("/proc/\(pid)/stat", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        return text.split(separator: ")").last?.hasPrefix(" Z") ?? false
    }
}
