import Glibc
import TestSupport
import Testing

/// A tmpfs of 1 MiB, which no ring fits in. Only the command run in it sees it. It disappears with its mount namespace,
/// however the test ends (unshare(1), mount_namespaces(7)).
private enum FullFileSystem {
    private static var unshare: [String] {
        ["unshare", "--mount"] + (geteuid() == 0 ? [] : ["--map-root-user"])
    }

    /// Returns the command line that runs a command with such a file system at `path`.
    static func launcher(_ path: String) -> [String] {
        unshare + ["sh", "-c", "mount -t tmpfs -o size=1m none \"$0\" && exec \"$@\"", path]
    }

    static let isPossible: Bool = {
        let directory = TemporaryRingDirectory()
        return (try? run(launcher(directory.path) + ["true"]).exit) == .code(0)
    }()
}

extension EndToEnd {
    @Suite("Bots at full speed, whatever happens to their telemetry") struct FullSpeed {
        private let rings = TemporaryRingDirectory()
        private let options = ["--rate", "0", "--duration", "2"]

        private struct Run {
            let tally: Demo.Tally
            let errors: [Substring]
        }

        private func runBot(launcher: [String] = []) throws -> Run {
            let demo = try Demo(rings, options, launcher: launcher)
            #expect(try demo.process.wait() == .code(0))
            let tally = try #require(demo.tallies.first)
            #expect(tally.messages > 0)
            return Run(tally: tally, errors: demo.process.standardError.split(separator: "\n"))
        }

        private func runWatchedBot() throws -> Run {
            let daemon = try Daemon(rings)
            defer { withExtendedLifetime(daemon) {} }
            return try runBot()
        }

        /// Expects that a bot is about as fast as with a collector, by order of magnitude. Other programs come and go
        /// on the machine, so one of three tries is enough. Both runs of a try are at about the same time.
        private func expectUnhindered(_ run: () throws -> Run) throws {
            var ratio = 0.0
            for _ in 1...3 where ratio < 0.3 {
                let rate = try run().tally.messagesPerSecond
                ratio = try Double(rate) / Double(runWatchedBot().tally.messagesPerSecond)
            }
            #expect(ratio >= 0.3)
        }

        @Test("a bot without a collector trades on at the same speed")
        func noCollector() throws {
            try expectUnhindered {
                let run = try runBot()
                #expect(run.errors.isEmpty)
                return run
            }
        }

        @Test(
            "a bot whose ring directory is full says so in one line and trades on at the same speed",
            .enabled(if: FullFileSystem.isPossible, "a tmpfs can only be mounted by root or in a user namespace"))
        func fullDirectory() throws {
            try expectUnhindered {
                let run = try runBot(launcher: FullFileSystem.launcher(rings.path))
                #expect(run.errors.count == 1)
                #expect(run.errors.first?.contains("demo1 goes on without telemetry: ") == true)
                return run
            }
        }

        @Test("a bot whose collector hangs trades on at the same speed")
        func stoppedCollector() throws {
            try expectUnhindered {
                let daemon = try Daemon(rings)
                defer { withExtendedLifetime(daemon) {} }
                daemon.process.send(SIGSTOP)
                let run = try runBot()
                #expect(run.errors.isEmpty)
                return run
            }
        }

        @Test("a collector that hung knows exactly what it missed, and in which windows")
        func account() throws {
            let daemon = try Daemon(rings)
            // The ring is small, so that even a bot that gets little processor time laps it many times.
            let demo = try Demo(rings, options + ["--linger", "600"], environment: ["RINGSIDE_CAPACITY": "16384"])
            try daemon.latest(when: "records of the bot") { ($0.bot("demo1")?.rings.first?.drained ?? 0) > 0 }
            let stopped = monotonicNanoseconds()
            daemon.process.send(SIGSTOP)
            let report = try demo.report().ring("demo1")
            daemon.process.send(SIGCONT)
            try expectExactAccount(report, daemon, gapSince: stopped)
            #expect(try demo.process.end() == .code(0))
            #expect(try daemon.process.end() == .code(0))
        }

        private func expectExactAccount(_ report: Report.Ring, _ daemon: Daemon, gapSince stopped: UInt64) throws {
            let latest = try daemon.latestWhenDrained()
            let elapsedSeconds = Double(monotonicNanoseconds() - stopped) * 1e-9
            let bot = try #require(latest.bot("demo1"))
            let ring = try #require(bot.rings.first)
            #expect(ring.position == report.records)
            #expect(ring.drained + ring.lostTotal == ring.position)
            let lapped = try #require(ring.lost["lapped"])
            #expect(lapped > 0 && lapped == ring.lostTotal)
            // Each series counts its own missing records.
            let histograms = bot.metrics.filter { $0.kind == "histogram" }
            #expect(histograms.reduce(0) { $0 + ($1.calls ?? 0) - ($1.count ?? 0) } == lapped)
            let emitted = report.totals.filter { $0.key.of != .count }
            #expect(bot.totals.filter { $0.key.of != .count }.differences(from: emitted) == [])
            for (name, seconds) in [("5s", 5.0), ("1m", 60)] where elapsedSeconds < seconds {
                #expect(
                    histograms.allSatisfy { $0.windows[name]?.complete == false && $0.windows[name]?.lost ?? 0 > 0 },
                    "\(name)")
            }
            try daemon.latest(when: "short windows that are complete again") {
                let histograms = $0.bot("demo1")?.metrics.filter { $0.kind == "histogram" } ?? []
                return !histograms.isEmpty
                    && ["1s", "5s"].allSatisfy { name in
                        histograms.allSatisfy { $0.windows[name]?.complete == true && $0.windows[name]?.lost == 0 }
                    }
            }
        }
    }
}
