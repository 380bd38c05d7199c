import Glibc
import RingReader
import Series
import TestSupport
import Testing

@Suite struct ForkTests {
    private let directory = TemporaryRingDirectory()

    /// Returns the pids in a bot's lines `child PID`.
    private func children(of bot: ChildProcess) -> [pid_t] {
        bot.lines.filter { $0.hasPrefix("child ") }.compactMap { pid_t($0.dropFirst(6)) }
    }

    @Test("a forked child stores nothing, and its ring is free once its parent is killed, though the child lives")
    func parentKilled() throws {
        let collector = try CollectorHarness(directory)
        let parent = try BotProgram.start("fork", "alpha", ["capacity=64"], in: directory)
        _ = try parent.line(beginning: "child")
        let child = try #require(children(of: parent).first)
        defer { kill(child, SIGKILL) }
        let before = try collector.settle()
        #expect(before.counter("writes_total") == 5 && before.ring()?.drained == 5)
        #expect(before.bot()?.isUp == true && before.ring()?.pid == parent.pid)

        parent.send(SIGKILL)
        try parent.wait()
        try collector.turn(until: "the death of the parent") { $0.bot()?.isUp == false }
        #expect(kill(child, 0) == 0)
        #expect(try BotProgram.run("write", "alpha", ["capacity=64", "count=3"], in: directory) == .code(0))
        let after = try collector.settle()
        #expect(after.counter("writes_total") == 8 && after.ring()?.drained == 8 && after.ring()?.totalLost == 0)
    }

    @Test("of children forked while another thread attaches, grows and lets go, none holds a ring")
    func forkedMeanwhile() throws {
        let parent = try BotProgram.start("forks", "alpha", ["capacity=16", "metrics=4"], in: directory)
        defer { for child in children(of: parent) { kill(child, SIGKILL) } }
        #expect(try parent.line(beginning: "ready") == "ready 20")
        #expect(try directory.segment().isProducerAlive)
        try Watchdog.wait(for: "all children") { children(of: parent).count == 20 }

        parent.send(SIGKILL)
        try parent.wait()
        let segment = try directory.segment()
        try Watchdog.wait(for: "the lock of a killed parent") { !segment.isProducerAlive }
        #expect(children(of: parent).allSatisfy { kill($0, 0) == 0 })
    }
}
