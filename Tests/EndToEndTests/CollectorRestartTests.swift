import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A collector that is killed and started again") struct CollectorRestart {
        private let rings = TemporaryRingDirectory()
        private let state = TemporaryRingDirectory(under: "/tmp")

        private var stateOption: [String] { ["--state-dir", "\(state.path)/state"] }

        /// The totals of bots in scrapes. Each is compared with the next.
        private struct Scrapes {
            private var last: [Substring: Double] = [:]
            private let catalogue = Exposition.Catalogue()
            private(set) var count = 0

            /// - Returns: A message for each total that fell.
            mutating func take(from daemon: Daemon) throws -> [String] {
                count += 1
                var fallen: [String] = []
                let scrape = try Exposition(daemon.get("/metrics").body, catalogue)
                // The collector's own series begin anew with it.
                for (name, value) in scrape.countedValues where name.contains("bot=") {
                    if let before = last.updateValue(value, forKey: name), value < before {
                        fallen.append("\(name) fell from \(before) to \(value)")
                    }
                }
                return fallen
            }
        }

        @Test(
            "killed again and again while four bots write, it loses nothing, counts nothing twice and shows no total that falls"
        )
        func killedAgainAndAgain() throws {
            let kills = isLongRun ? 50 : 5
            // At 50,000 records/s a ring holds 2.6 s. A restart takes less than that, unless all other tests run beside
            // it.
            let (rate, seconds) = isLongRun ? ("25000", "60") : ("5000", "6")
            let demo = try Demo(rings, ["--bots", "4", "--rate", rate, "--duration", seconds, "--linger", "600"])
            var random = SystemRandomNumberGenerator()
            var scrapes = Scrapes()
            var daemon = try Daemon(rings, stateOption)
            for _ in 1...kills {
                let end = monotonicNanoseconds() + UInt64.random(in: 300_000_000...900_000_000, using: &random)
                while monotonicNanoseconds() < end { #expect(try scrapes.take(from: daemon) == []) }
                #expect(try daemon.process.end(by: SIGKILL) == .signal(SIGKILL))
                daemon = try Daemon(rings, stateOption)
            }
            let report = try demo.report()
            let latest = try daemon.latestWhenDrained()
            #expect(try scrapes.take(from: daemon) == [])
            #expect(scrapes.count > kills)
            try expect(latest, is: report)
            #expect(try demo.process.end() == .code(0))
        }

        private func expect(_ latest: Latest, is report: Report) throws {
            #expect(latest.bots.map(\.bot) == report.rings.map(\.bot))
            for (bot, ring) in zip(latest.bots, report.rings) {
                #expect(bot.rings.map(\.drained) == [ring.records] && bot.rings.map(\.lostTotal) == [0], "\(bot.rings)")
                #expect(bot.totals.differences(from: ring.totals) == [])
                for reported in ring.metrics where reported.kind == "histogram" && reported.count ?? 0 > 0 {
                    let metric = try #require(bot.metric(reported.name, reported.labels))
                    let (sum, expected) = try (#require(metric.sum), #require(reported.sum))
                    // The sum of values of both signs may be close to 0.
                    let size = [metric.p50, metric.p999].compactMap { $0.map(abs) }.max() ?? 0
                    #expect(
                        abs(sum - expected) <= 1e-5 * abs(expected) + 1e-9 * size * Double(metric.count ?? 0),
                        "\(bot.bot) \(metric.key)")
                }
            }
        }

        @Test("killed at full speed without a pause, it counts its losses: drained and lost are what was emitted")
        func fullSpeed() throws {
            let demo = try Demo(rings, ["--rate", "0", "--duration", "4", "--linger", "600"])
            var daemon = try Daemon(rings, stateOption)
            for pause in 0..<(isLongRun ? 50 : 6) {
                usleep(UInt32(pause % 3 * 100_000))
                #expect(try daemon.process.end(by: SIGKILL) == .signal(SIGKILL))
                daemon = try Daemon(rings, stateOption)
            }
            let ring = try demo.report().ring("demo1")
            let bot = try #require(daemon.latestWhenDrained().bot("demo1"))
            #expect(bot.rings.map { $0.drained + $0.lostTotal } == [ring.records])
            // A collector that starts before the first checkpoint counts as the first one.
            let excused = bot.rings.map { ($0.lost["lapped"] ?? 0) + ($0.lost["before_attach"] ?? 0) }
            #expect(excused == bot.rings.map(\.lostTotal))
            // Counters and calls are exact, even if records were lost.
            for metric in ring.metrics where metric.kind == "counter" {
                #expect(bot.metric(metric.name, metric.labels)?.value == metric.value, "\(metric.key)")
            }
            for metric in ring.metrics where metric.kind == "histogram" {
                #expect(bot.metric(metric.name, metric.labels)?.calls == metric.count, "\(metric.key)")
            }
            #expect(try demo.process.end() == .code(0))
        }

        @Test("bots that die, come back and are gone meanwhile keep their totals; after SIGTERM nothing has changed")
        func botsBetween() throws {
            let options = ["--name", "alpha", "--rate", "5000", "--duration", "1"]
            let gone = try Demo(rings, ["--name", "gone", "--rate", "5000", "--duration", "1"])
            #expect(try gone.process.wait() == .code(0))
            let first = try Demo(rings, options)
            #expect(try first.process.wait() == .code(0))
            var daemon = try Daemon(rings, stateOption)
            let before = try daemon.latestWhenDrained()
            #expect(try daemon.process.end() == .code(0))
            #expect(unlink(rings.ring("gone1")) == 0)
            let second = try Demo(rings, options + ["--resume", "--linger", "600"])
            let reports = try (first.report().ring("alpha1"), second.report().ring("alpha1"))
            for signal in [SIGKILL, SIGTERM, SIGKILL] {
                daemon = try Daemon(rings, stateOption)
                let latest = try daemon.latestWhenDrained()
                let alpha = try #require(latest.bot("alpha1"))
                #expect(alpha.totals.differences(from: reports.0.totals + reports.1.totals) == [])
                #expect(alpha.up && alpha.gauges == reports.1.gauges)
                let goneNow = try #require(latest.bot("gone1"))
                #expect(try goneNow.totals.differences(from: #require(before.bot("gone1")).totals) == [])
                #expect(try goneNow.totals.differences(from: gone.report().ring("gone1").totals) == [])
                #expect(!goneNow.up)
                _ = try daemon.process.end(by: signal)
            }
            #expect(try second.process.end() == .code(0))
        }

        @Test("a second collector on the same state directory is refused in one line that names the first")
        func second() throws {
            let daemon = try Daemon(rings, stateOption)
            let second = try run(
                [
                    ChildProcess.builtProgram("ringsided"), "--ring-dir", rings.path, "--web.listen-address",
                    "127.0.0.1:0",
                ]
                    + stateOption)
            #expect(second.exit == .code(1) && second.output == "" && second.errors.count == 1)
            #expect(second.errors.first?.contains("in use by the collector with pid \(daemon.process.pid);") == true)
            #expect(second.errors.first?.contains("--state-dir") == true)
            #expect(try HTTPClient.request("/-/ready", port: daemon.port).status == 200)
        }

        @Test("a damaged state file is set aside and reported once, and the collector starts anew")
        func damaged() throws {
            let demo = try Demo(rings, ["--rate", "5000", "--duration", "1", "--linger", "600"])
            _ = try demo.report()
            var daemon = try Daemon(rings, stateOption)
            _ = try daemon.latestWhenDrained()
            #expect(try daemon.process.end() == .code(0))
            let path = "\(state.path)/state/state.sqlite"
            let descriptor = open(path, O_WRONLY)
            let noise = [UInt8](repeating: 0x5A, count: 4096)
            #expect(pwrite(descriptor, noise, noise.count, 4096) == noise.count)
            close(descriptor)
            daemon = try Daemon(rings, stateOption)
            #expect(daemon.log.filter { $0.contains("state set aside") && $0.contains(path) }.count == 1)
            let bot = try #require(daemon.latestWhenDrained().bot("demo1"))
            // Records that the ring still holds are read again.
            #expect(bot.rings.map { $0.drained + $0.lostTotal } == [try demo.report().ring("demo1").records])
            #expect(try daemon.process.end() == .code(0))
            #expect(try Daemon(rings, stateOption).log.contains { $0.contains("state restored") })
        }

        @Test("a state directory that cannot be used stops nothing: the log and /health report it")
        func unusable() throws {
            let file = "\(state.path)/file"
            close(open(file, O_CREAT | O_WRONLY, 0o600))
            let demo = try Demo(rings, ["--rate", "5000", "--duration", "1", "--linger", "600"])
            let records = try demo.report().ring("demo1").records
            let daemon = try Daemon(rings, ["--state-dir", "\(file)/state"])
            #expect(try daemon.latestWhenDrained().bot("demo1")?.rings.map(\.drained) == [records])
            #expect(try daemon.get("/health").text.contains("\"checkpoint_failure\":\"cannot"))
            #expect(daemon.log.filter { $0.contains("no state is read or stored") }.count == 1)
            #expect(try daemon.process.end() == .code(0))
        }
    }
}
