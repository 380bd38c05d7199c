import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A capture replayed") struct Replay {
        private let rings = TemporaryRingDirectory()
        private let folder = TemporaryRingDirectory(under: "/tmp")
        private let tool = ChildProcess.builtProgram("ringside")

        private func capture(_ ring: String) throws -> String {
            let path = "\(folder.path)/\(ring).capture"
            let taken = try run([tool, "capture", ring, "--ring-dir", rings.path, "-o", path])
            #expect(taken.exit == .code(0))
            return path
        }

        /// Replays twice, expects the same output twice, and reads it.
        private func replay(_ arguments: String...) throws -> (latest: Latest, lines: [Substring], errors: [Substring])
        {
            let (one, other) = try (run([tool, "replay"] + arguments), run([tool, "replay"] + arguments))
            #expect(one.exit == .code(0) && other.exit == .code(0))
            #expect(one.output == other.output && one.errors == other.errors)
            let lines = one.output.split(separator: "\n")
            let last = try #require(lines.last)
            return (try JSONDecoder().decode(Latest.self, from: Data(last.utf8)), lines, one.errors)
        }

        @Test(
            "two replays are the same to the byte; totals are the bot's and the collector's, percentiles the exact ones"
        )
        func agreement() throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(
                rings, ["--rate", "5000", "--duration", "2.5", "--pause-meter", "--linger", "600"], keepsValues: true,
                environment: ["RINGSIDE_CAPACITY": "131072"])
            let report = try demo.report()
            let captures = try (capture("demo1"), capture("demo1.pause"))
            let live = try #require(daemon.latestWhenDrained().bot("demo1"))
            let replayed = try replay(captures.0, captures.1)
            #expect(replayed.lines.count == 1)
            let bot = try #require(replayed.latest.bot("demo1"))
            #expect(replayed.latest.bots.count == 1 && bot.up && bot.labels == live.labels)
            #expect(bot.rings.map(\.lane) == ["", "pause"])
            #expect(bot.rings.map(\.position) == live.rings.map(\.position))
            #expect(bot.rings.allSatisfy { $0.drained == $0.position && $0.lostTotal == 0 && $0.backlog == 0 })
            #expect(!replayed.errors.contains { $0.contains("lost") })
            let own = Set(try report.ring("demo1").metrics.map(\.key))
            func isOwn(_ totals: Totals) -> Totals { totals.filter { own.contains($0.key.metric) } }
            #expect(try isOwn(bot.totals).differences(from: report.ring("demo1").totals) == [])
            #expect(isOwn(bot.totals).differences(from: isOwn(live.totals)) == [])
            #expect(try bot.gauges == report.ring("demo1").gauges)
            let exact = try demo.exactValues()
            for metric in bot.metrics where metric.kind == "histogram" && own.contains(metric.key) {
                let values = exact[ExactKey(bot: "demo1", metric.key)] ?? []
                #expect(UInt64(values.count) == metric.count)
                // All records lie within a minute of the end.
                #expect(metric.windows["1m"]?.count == metric.count, "\(metric.key)")
                for (q, value) in metric.quantiles where !values.isEmpty {
                    let expected = values.quantile(q)
                    #expect(abs((value ?? .nan) - expected) <= 0.003 * abs(expected), "\(metric.key) \(q)")
                }
            }
            #expect(try demo.process.end() == .code(0))
        }

        @Test("objectives and alerts follow the configuration, and their changes are reported in the records' time")
        func rules() throws {
            let demo = try Demo(rings, ["--rate", "2000", "--duration", "2.5"])
            #expect(try demo.process.wait() == .code(0))
            let path = "\(folder.path)/strict.json5"
            try Data(
                """
                { quantiles: [0.9], standard_objectives: false, standard_alerts: false,
                  objectives: [{ name: "signals", instrument: "strategy_signal_generation_seconds", threshold: "1ns",
                                 target: 0.99, windows: ["1m"], minimum_events: 10, coverage: 0 }],
                  alerts: [{ name: "slow", severity: "P1", instrument: "strategy_signal_generation_seconds",
                             statistic: "p90", window: "1s", compare: ">", threshold: "1ns" }] }
                """.utf8
            ).write(to: URL(filePath: path))
            let capture = try capture("demo1")
            let replayed = try replay(capture, "--config", path)
            let violated = replayed.errors.filter {
                $0.contains("msg=\"objective violated\" objective=signals bot=demo1")
            }
            #expect(violated.count == 1)
            // The change is reported within a second of the first record, on the records' clock.
            let shown = try replay(capture, "--config", path, "--every", "1s")
            let times = try shown.lines.map { try JSONDecoder().decode(Latest.self, from: Data($0.utf8)).time }
            #expect(times.count == 3 && abs(times[1] - times[0] - 1) < 1e-6 && times[2] > times[1])
            #expect(shown.lines.last == replayed.lines.last)
            let began = Int64((times[0] - 1) * 1000)
            let told = try #require(violated.first?.split(separator: " ").first { $0.hasPrefix("time=") })
            let seconds = try #require(Double(told.split(separator: ":").last?.dropLast() ?? ""))
            let delay = (seconds - Double(began % 60_000) / 1000 + 60).truncatingRemainder(dividingBy: 60)
            #expect(delay <= 1.001 || delay > 59.9, "\(told), begun at \(began)")
            #expect(replayed.errors.contains { $0.contains("msg=\"alert firing\" alert=slow") })
            #expect(replayed.lines[0].contains("\"p90\":") && replayed.lines[0].contains("\"alert\":\"slow\""))
            let early = try replay(capture, "--at", "500ms")
            let ring = try #require(early.latest.bot("demo1")?.rings.first)
            #expect(ring.backlog > 0 && ring.drained > 0 && ring.drained + ring.backlog == ring.position)
            #expect(abs(early.latest.time - (times[0] - 0.5)) < 1e-3)
        }

        @Test("documents on the way change nothing at the end, also where records are further apart than turns")
        func looks() throws {
            let demo = try Demo(rings, ["--rate", "40", "--duration", "2.5"])
            #expect(try demo.process.wait() == .code(0))
            let capture = try capture("demo1")
            let last = try replay(capture).lines.last
            for interval in ["10ms", "130ms", "1s"] {
                #expect(try replay(capture, "--every", interval).lines.last == last, "\(interval)")
            }
        }

        @Test("documents on the way change nothing at the end, also where nothing is written for seconds")
        func looksDuringSilence() throws {
            let demo = try Demo(
                rings, ["--rate", "500", "--duration", "7", "--fault", "disconnect@1.37+2.9"])
            #expect(try demo.process.wait() == .code(0))
            let capture = try capture("demo1")
            let configuration = "\(folder.path)/silence.json5"
            try Data(
                """
                { quantiles: [0.9], standard_objectives: false, standard_alerts: false,
                  alerts: [{ name: "slow", severity: "P1", instrument: "strategy_signal_generation_seconds",
                             statistic: "p90", window: "1s", compare: ">", threshold: "1ns" },
                           { name: "rare", severity: "P1", instrument: "strategy_signal_generation_seconds",
                             statistic: "rate", window: "1s", compare: "<", threshold: 1 }] }
                """.utf8
            ).write(to: URL(filePath: configuration))
            let whole = try replay(capture, "--config", configuration)
            for interval in ["10ms", "130ms", "370ms", "1s"] {
                let looked = try replay(capture, "--config", configuration, "--every", interval)
                #expect(looked.lines.last == whole.lines.last && looked.errors == whole.errors, "\(interval)")
            }
            #expect(whole.errors.contains { $0.contains("msg=\"alert firing\" alert=rare") })
        }

        @Test("a capture that cannot be replayed is refused in one line")
        func refused() throws {
            let demo = try Demo(rings, ["--rate", "1000", "--duration", "0.2"])
            #expect(try demo.process.wait() == .code(0))
            let sound = try capture("demo1")
            var bytes = RingFile(sound).bytes()
            bytes[bytes.count / 2] ^= 1
            let damaged = "\(folder.path)/damaged.capture"
            RingFile.make(damaged, bytes)
            let cut = "\(folder.path)/cut.capture"
            RingFile.make(cut, [UInt8](RingFile(sound).bytes().prefix(100_000)))
            let rows = [
                ([damaged], "is damaged: its checksum is"), ([cut], "it is cut or damaged"), (["nosuch"], "no ring"),
                (["\(folder.path)/none.capture"], "none.capture"), ([rings.ring("demo1")], "is not a capture"),
                ([sound, sound], "two of the captures are of the ring demo1"),
                ([sound, "--config", "/nowhere"], "/nowhere"),
            ]
            for (arguments, part) in rows {
                let refused = try run([tool, "replay"] + arguments)
                #expect(refused.exit == .code(1) && refused.output == "" && refused.errors.count == 1, "\(arguments)")
                #expect(refused.errors.first?.contains(part) == true, "\(refused.errors)")
            }
            #expect(try run([tool, "replay"]).exit == .code(2))
            #expect(try run([tool, "replay", sound, "--at", "soon"]).exit == .code(2))
        }
    }
}
