import FoundationEssentials
import TestSupport
import Testing

/// Prometheus' own checker of an exposition. `tools/setup --tests` installs it.
private let promtool = commandPath("promtool")

/// Whether promtool must be there. A CI run without it fails.
private let isPromtoolExpected = promtool != nil || environment("CI") == "true"

extension EndToEndWithPeers {
    @Suite("Prometheus' own check of a scrape") struct Promtool {
        private let rings = TemporaryRingDirectory()
        private let outputs = TemporaryRingDirectory(under: "/tmp")

        /// Each fault that the demo can make, and the condition that shows it.
        private static let faults: [(kind: String, isVisible: @Sendable (Latest.Bot) -> Bool)] = [
            ("disconnect", { $0.metric("market_data_connected")?.value == 0 }),
            ("loss-limit", { $0.metric("strategy_circuit_breaker_active")?.value == 1 }),
            ("kill-switch", { $0.metric("strategy_kill_switch_active")?.value == 1 }),
            ("api-down", { $0.metric("execution_api_up")?.value == 0 }),
            // The venue answers after 10 ms, and a percentile may be 0.3 % below that.
            ("slow-venue", { $0.metric("exchange_round_trip_seconds")?.p999 ?? 0 >= 0.00997 }),
        ]

        @Test(
            "promtool has no complaint about a scrape under load, whatever goes wrong with the bots",
            .enabled(if: isPromtoolExpected, "promtool is not installed: tools/setup --tests"))
        func check() throws {
            let promtool = try #require(promtool, "promtool is not installed: tools/setup --tests")
            let daemon = try Daemon(rings)
            try expectNothingSaid(promtool, daemon)
            let healthy = try Demo(rings, ["--name", "healthy", "--bots", "2", "--rate", "20000"])
            let faulty = try Self.faults.map {
                try Demo(rings, ["--name", $0.kind, "--rate", "1000", "--fault", "\($0.kind)@0.5"])
            }
            try daemon.latest(when: "bots at work, and every fault in sight") { latest in
                latest.bot("healthy2")?.metric("data_freshness_seconds")?.windows["1s"]?.count ?? 0 > 0
                    && Self.faults.allSatisfy { latest.bot("\($0.kind)1").map($0.isVisible) ?? false }
            }
            for _ in 1...3 { try expectNothingSaid(promtool, daemon) }
            for demo in faulty + [healthy] { #expect(try demo.process.end() == .code(0)) }
            try daemon.latest(when: "bots that have gone") { $0.bots.allSatisfy { !$0.up } }
            try expectNothingSaid(promtool, daemon)
        }

        private func expectNothingSaid(_ promtool: String, _ daemon: Daemon) throws {
            let path = "\(outputs.path)/metrics"
            RingFile.make(path, try daemon.get("/metrics").body)
            let (exit, output, errors) = try run(["sh", "-c", "exec \"$0\" check metrics < \"$1\"", promtool, path])
            #expect(exit == .code(0))
            #expect(output == "")
            #expect(errors == [])
        }
    }
}
