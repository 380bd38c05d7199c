import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Compares a bot's own figures with a collector's figures of it, after all kinds of disturbance of the collector.
    @Suite("Figures that can be trusted") struct Trust {
        private let rings = TemporaryRingDirectory()
        private let state = TemporaryRingDirectory(under: "/tmp")

        private var stateOption: [String] { ["--state-dir", "\(state.path)/state"] }

        private func pace(
            recordsPerSecond: Int, seconds: Int, environment: [String: String] = [:]
        ) throws -> ChildProcess {
            let bot = try ChildProcess(
                [ChildProcess.builtProgram("RingProbe"), "pace", "alpha", "\(recordsPerSecond)", "\(seconds)"],
                environment: environment.merging(["RINGSIDE_DIR": rings.path]) { $1 })
            _ = try bot.line(beginning: "ready")
            return bot
        }

        /// Returns the number of values that the bot wrote; nil while it writes.
        private func written(_ bot: ChildProcess) -> UInt64? {
            bot.lines.first { $0.hasPrefix("wrote ") }.flatMap { UInt64($0.split(separator: " ")[1]) }
        }

        @Test(
            "killed at any moment, ready or not, under a bot of 1,000,000 records/s: drained and lost are what it wrote"
        )
        func killedUnderAMillion() throws {
            let bot = try pace(recordsPerSecond: 1_000_000, seconds: isLongRun ? 40 : 5)
            var random = SystemRandomNumberGenerator()
            var kills = 0
            while written(bot) == nil {
                let collector = try Daemon.start(rings, stateOption)
                usleep(UInt32.random(in: 0..<500_000, using: &random))
                #expect(try collector.end(by: SIGKILL) == .signal(SIGKILL), "\(collector.standardError)")
                kills += 1
            }
            #expect(kills >= 5)
            let total = try #require(written(bot))
            let daemon = try Daemon(rings, stateOption)
            let alpha = try #require(daemon.latestWhenDrained().bot("alpha"))
            let ring = try #require(alpha.rings.first)
            #expect(alpha.rings.count == 1 && ring.position == total)
            #expect(ring.drained + ring.lostTotal == total, "\(ring)")
            // No record was damaged or came without its metric, so the missing records were overwritten.
            #expect((ring.lost["lapped"] ?? 0) + (ring.lost["before_attach"] ?? 0) == ring.lostTotal, "\(ring)")
            let values = try #require(alpha.metric("paced_value"))
            #expect(values.calls == total && values.count == ring.drained)
            #expect(alpha.metric("paced_values_total")?.value == Double(total))
            #expect(try daemon.process.end() == .code(0))
        }

        @Test(
            "stopped until its ring is lapped, and continued while the bot writes on: windows with the gap say so, later ones not"
        )
        func stoppedUntilLapped() throws {
            // The default ring holds 1.3 s of this.
            let bot = try pace(recordsPerSecond: 100_000, seconds: isLongRun ? 30 : 14)
            let daemon = try Daemon(rings)
            try daemon.latest(when: "whole windows") {
                $0.window("1s")?.complete == true && ($0.window("1s")?.count ?? 0) > 0
            }
            daemon.process.send(SIGSTOP)
            usleep(3_000_000)
            daemon.process.send(SIGCONT)
            let after = try daemon.latest(when: "the loss") { ($0.bot("alpha")?.rings.first?.lost["lapped"] ?? 0) > 0 }
            let ring = try #require(after.bot("alpha")?.rings.first)
            #expect(ring.drained + ring.lostTotal + ring.backlog == ring.position)
            for window in ["5s", "1m"] {
                #expect(after.window(window)?.complete == false && after.window(window)?.lost ?? 0 > 0, "\(window)")
            }
            func isIncomplete(_ window: String) throws -> Double? {
                try daemon.metrics().samples.value("ringside_window_incomplete", ["bot": "alpha", "window": window])
            }
            #expect(try isIncomplete("5s") == 1)
            #expect(try isIncomplete("1m") == 1)
            for window in ["1s", "5s"] {
                let whole = try daemon.latest(when: "a whole window of \(window)") {
                    $0.window(window)?.complete == true && $0.window(window)?.lost == 0
                }
                #expect(whole.window("1m")?.complete == false, "the gap is still in the last minute")
            }
            // The bot's windows are those of all its metrics. The counter's cell was read after the loss was seen, so its
            // window may be whole one slice later than the histogram's.
            try Watchdog.wait(for: "whole windows of the bot") { try isIncomplete("5s") == 0 }
            #expect(try isIncomplete("1m") == 1)
            try Watchdog.wait(for: "the bot's end") { written(bot) != nil }
            let total = try #require(written(bot))
            let end = try #require(daemon.latestWhenDrained().bot("alpha"))
            #expect(end.rings.map(\.position) == [total])
            #expect(end.rings.map { $0.drained + $0.lostTotal } == [total])
            #expect(
                end.metric("paced_value")?.calls == total && end.metric("paced_value")?.count == end.rings[0].drained)
            #expect(try daemon.process.end() == .code(0))
        }

        @Test(
            "numpy's quantiles of every value that bots recorded are /latest's within 0.3 %, and its counts /latest's")
        func numpy() throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(
                rings,
                [
                    "--bots", "2", "--rate", "5000", "--duration", isLongRun ? "20" : "3", "--pause-meter", "--linger",
                    "600",
                ],
                keepsValues: true, environment: ["RINGSIDE_CAPACITY": "131072"])
            _ = try demo.report()
            _ = try daemon.latestWhenDrained()
            let shown = "\(state.path)/latest.json"
            RingFile.make(shown, try daemon.get("/latest").body)
            func check(_ exact: String) throws -> (exit: ChildProcess.Exit, output: String, errors: [Substring]) {
                try run(["/usr/bin/python3", "\(repository)/tools/python/check_quantiles.py", exact, shown])
            }
            let found = try check(demo.exactPath)
            #expect(found.exit == .code(0), "\(found.errors.prefix(10))")
            let words = found.output.split(separator: " ")
            #expect(
                words.first == "compared" && Int(words[1]) ?? 0 >= 40 && Int(words[3]) ?? 0 >= 100, "\(found.output)")
            // A value that is missing is detected.
            let lines = RingFile(demo.exactPath).bytes().split(separator: UInt8(ascii: "\n"))
            RingFile.make(
                "\(state.path)/short.txt", Array(lines.dropLast().joined(separator: [UInt8(ascii: "\n")])) + [10])
            let short = try check("\(state.path)/short.txt")
            #expect(short.exit == .code(1) && short.errors.contains { $0.contains("count") })
            #expect(try demo.process.end() == .code(0))
        }
    }
}

extension Latest {
    fileprivate func window(_ name: String) -> Window? { bot("alpha")?.metric("paced_value")?.windows[name] }
}
