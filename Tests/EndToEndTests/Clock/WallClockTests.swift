import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A collector whose wall clock is wrong") struct WallClockSteps {
        private let rings = TemporaryRingDirectory()
        private let state = TemporaryRingDirectory(under: "/tmp")
        private static let metric = "strategy_order_execution_seconds"
        private static let day: Int64 = 86_400

        private struct Health: Decodable {
            let status: String
            let clock: Clock

            struct Clock: Decodable {
                let steps: UInt64
                let last_step: Double?
            }
        }

        private struct Answer: Decodable {
            let series: [Series]

            struct Series: Decodable {
                let bot: String
                let points: [Point]
            }

            struct Point: Decodable { let count: UInt64? }

            /// The number of values of each bot.
            var counts: [String: UInt64] {
                Dictionary(
                    series.map { ($0.bot, $0.points.reduce(0) { $0 + ($1.count ?? 0) }) }, uniquingKeysWith: +)
            }
        }

        /// Runs a bot to its end, and waits until its records are counted.
        private func emit(_ name: String, _ daemon: Daemon) throws -> UInt64 {
            let demo = try Demo(rings, ["--name", name, "--rate", "5000", "--duration", "1", "--linger", "600"])
            let metrics = try demo.report().ring("\(name)1").metrics
            try daemon.latest(when: "\(name)'s ring without a backlog") { latest in
                latest.bot("\(name)1")?.rings.allSatisfy { $0.backlog == 0 } ?? false
            }
            #expect(try demo.process.end() == .code(0))
            return try #require(metrics.first { $0.name == Self.metric }?.count)
        }

        private func expectStep(of seconds: Int64, number: UInt64, _ daemon: Daemon) throws {
            try Watchdog.wait(for: "a step that is noticed") {
                try JSONDecoder().decode(Health.self, from: Data(daemon.get("/health").body)).clock.steps == number
            }
            let health = try JSONDecoder().decode(Health.self, from: Data(daemon.get("/health").body))
            #expect(health.status == "ok")
            #expect(abs((health.clock.last_step ?? 0) - Double(seconds)) < 1)
            let text = try String(decoding: daemon.get("/metrics").body, as: UTF8.self)
            #expect(text.contains("\nringside_clock_steps_total \(number)\n"))
        }

        private func stored(from: String, to: String) throws -> [String: UInt64] {
            let (exit, output, errors) = try run([
                ChildProcess.builtProgram("ringside"), "history", "--state-dir", "\(state.path)/state", "--metric",
                Self.metric, "--from", from, "--to", to, "--step", "1d", "--format", "json",
            ])
            #expect(exit == .code(0) && errors == [])
            return try JSONDecoder().decode(Answer.self, from: Data(output.utf8)).counts
        }

        @Test("at its start or for a while, ahead or behind, keeps all history, and writes on")
        func history() throws {
            let clock = try WallClock()
            func daemon() throws -> Daemon {
                try Daemon(rings, ["--state-dir", "\(state.path)/state"], environment: clock.environment)
            }
            var emitted: [String: UInt64] = [:]
            clock.set(secondsAhead: -20 * Self.day)
            var collector = try daemon()
            emitted["early1"] = try emit("early", collector)
            #expect(try collector.process.end() == .code(0))
            clock.set(secondsAhead: 0)
            collector = try daemon()
            emitted["now1"] = try emit("now", collector)
            clock.set(secondsAhead: 365 * Self.day)
            try expectStep(of: 365 * Self.day, number: 1, collector)
            #expect(try collector.process.end() == .code(0))
            #expect(try stored(from: "-30d", to: "now") == emitted)
            // Another collector starts while the clock is wrong, and sees how the clock is corrected, and stepped
            // further.
            collector = try daemon()
            clock.set(secondsAhead: -3600)
            try expectStep(of: -365 * Self.day - 3600, number: 1, collector)
            emitted["later1"] = try emit("later", collector)
            #expect(try collector.process.end() == .code(0))
            #expect(try stored(from: "-30d", to: "now") == emitted)
        }
    }
}
