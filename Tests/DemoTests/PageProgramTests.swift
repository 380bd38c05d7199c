import CRingside
import FoundationEssentials
import Glibc
import RingReader
import TestSupport
import Testing

@testable import ringside_demo

@Suite("The command with a page", .serialized)
struct PageProgramTests {
    /// A run with a page, the process that serves it, and the process of its bots.
    private struct Run {
        let demo = DemoProcess()
        let port: UInt16

        init(_ options: [String] = []) throws {
            try demo.start(["--rate", "1000", "--ui", "127.0.0.1:0"] + options)
            let demo = demo
            var found: UInt16?
            try Watchdog.wait(for: "the page's address") {
                found = demo.standardError.firstMatch(of: /buttons at http:\/\/127\.0\.0\.1:(\d+)/)
                    .flatMap { UInt16($0.output.1) }
                return found != nil
            }
            port = try #require(found)
            try Watchdog.wait(for: "a ring") { Run.position(demo) != nil }
        }

        static func segment(_ demo: DemoProcess) -> Segment? {
            RingName("demo1").flatMap { try? Segment(name: $0, path: demo.ring("demo1")) }
        }

        static func position(_ demo: DemoProcess) -> UInt64? { segment(demo)?.position }

        var position: UInt64 { Run.position(demo) ?? 0 }
        var isBotAlive: Bool { Run.segment(demo)?.isProducerAlive ?? false }
        var isClosed: Bool { Run.segment(demo)?.isClosed ?? false }

        func press(_ action: String, bot: Int = 1) throws -> HTTPClient.Response {
            try HTTPClient.request("/act?action=\(action)&bot=\(bot)", port: port, method: "POST")
        }

        func waitUntilItMoves() throws {
            let before = position
            try Watchdog.wait(for: "records") { position > before + 100 }
        }
    }

    @Test("the page is served, a button answers in three lines, and SIGTERM ends page and bots cleanly")
    func serves() throws {
        let run = try Run(["--collector", "http://127.0.0.1:9000"])
        try run.waitUntilItMoves()
        let page = try HTTPClient.request("/", port: run.port)
        #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
        #expect(page.text.contains("http://127.0.0.1:9000/"))
        let answer = try run.press("slow-risk")
        let lines = answer.text.split(separator: "\n")
        #expect(answer.status == 200 && lines.count == 3 && lines[0].contains("demo1"))
        #expect(lines.last?.hasPrefix("http://127.0.0.1:9000/#/bot/demo1/risk_pretrade_check") == true)
        #expect(try run.press("jump").status == 400 && run.press("buy", bot: 2).status == 400)
        run.demo.send(SIGTERM)
        #expect(try run.demo.wait() == .code(0))
        #expect(run.isClosed && run.demo.standardOutput.hasPrefix("demo1: "))
    }

    @Test("a page of another site presses nothing")
    func refuses() throws {
        let run = try Run()
        let act = "/act?action=crash"
        for headers in [["Origin": "http://evil.example"], ["Sec-Fetch-Site": "cross-site"], ["Origin": "null"]] {
            #expect(try HTTPClient.request(act, port: run.port, method: "POST", headers: headers).status == 403)
        }
        #expect(try HTTPClient.request(act, port: run.port, method: "GET").status == 405)
        // Another answer than 409 shows that nothing was killed.
        #expect(try run.press("sell").status == 200)
    }

    @Test("bots that were stopped go on, and bots that were killed come back with their ring and its counters")
    func stopsAndCrashes() throws {
        let run = try Run()
        try run.waitUntilItMoves()
        #expect(try run.press("stop").status == 200)
        #expect(try run.press("buy").status == 409)
        sleepNanoseconds(100_000_000)
        let stopped = run.position
        sleepNanoseconds(300_000_000)
        #expect(run.position == stopped)
        try run.waitUntilItMoves()
        let before = run.position
        #expect(try run.press("crash").status == 200)
        #expect(!run.isBotAlive && !run.isClosed)
        #expect(try run.press("stop").status == 409)
        try Watchdog.wait(for: "the bots' return") { run.isBotAlive && run.position > before }
        #expect(try run.press("sell").status == 200)
        try run.waitUntilItMoves()
        run.demo.send(SIGINT)
        #expect(try run.demo.wait() == .code(0))
        #expect(run.isClosed)
    }

    @Test("a page that is killed leaves no bots behind, stopped ones neither", arguments: [false, true])
    func leavesNothing(whileStopped: Bool) throws {
        let run = try Run()
        try run.waitUntilItMoves()
        if whileStopped { #expect(try run.press("stop").status == 200) }
        run.demo.send(SIGKILL)
        #expect(try run.demo.wait() == .signal(SIGKILL))
        try Watchdog.wait(for: "the bots' end") { run.isClosed && !run.isBotAlive }
    }

    @Test("bots that end by themselves end the page too, with their status")
    func endsWithItsBots() throws {
        let demo = DemoProcess()
        #expect(try demo.run(["--ui", "127.0.0.1:0", "--duration", "0.3"]) == .code(0))
        #expect(demo.standardOutput.hasPrefix("demo1: "))
        let missing = try demo.run(["--ui", "127.0.0.1:0", "--feed", "/nonexistent", "--duration", "0.3"])
        #expect(missing == .code(1))
    }

    @Test("a port that is taken is named, and no bot starts")
    func portTaken() throws {
        let run = try Run()
        let other = DemoProcess()
        #expect(try other.run(["--ui", "127.0.0.1:\(run.port)"]) == .code(1))
        #expect(other.standardError.contains("cannot listen on 127.0.0.1:\(run.port): Address already in use"))
        #expect(access(other.ring("demo1"), F_OK) == -1)
    }

    @Test("the end of the commands ends the run cleanly")
    func commandsEnd() throws {
        let demo = DemoProcess()
        // The standard input of a test's child is empty.
        #expect(try demo.run(["--commands", "--rate", "1000"]) == .code(0))
        #expect(demo.standardOutput.hasPrefix("demo1: "))
    }
}
