import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Names of other stacks") struct OtherNames {
        private let rings = TemporaryRingDirectory()
        private let folder = TemporaryRingDirectory(under: "/tmp")

        /// The metrics, with the factor from the registered values to the shown ones.
        private static let names: [(registered: String, shown: String, factor: Double)] = [
            ("strategy_order_execution_seconds", "execution_time_ms", 1e3),
            ("orders_submit_to_ack_latency_seconds", "orders_submit_to_ack_latency_us", 1e6),
            ("exchange_round_trip_seconds", "exchange_round_trip_time_ms", 1e3),
            ("event_bus_handle_seconds", "event_bus_handle_latency_us", 1e6),
            ("orders_commission_usd_total", "orders_commission_total_usd", 1),
            ("data_completeness_ratio", "data_completeness_score", 1),
            ("buffer_utilization_ratio", "buffer_utilization_percent", 100),
            ("component_memory_bytes", "component_memory_mebibytes", 1.0 / 1_048_576),
        ]

        @Test(
            "the shipped file is good, and a collector with it shows the demo's values in the units of the other names")
        func values() throws {
            let path = "\(repository)/tools/monitoring/names.json5"
            let check = try run([ChildProcess.builtProgram("ringsided"), "--config", path, "--check-config"])
            #expect(check.exit == .code(0) && check.errors.isEmpty)
            let plain = try Daemon(rings, ["--state-dir", "\(folder.path)/plain"])
            let renaming = try Daemon(rings, ["--state-dir", "\(folder.path)/renaming", "--config", path])
            let demo = try Demo(rings, ["--bots", "1", "--rate", "5000", "--duration", "2", "--linger", "600"])
            _ = try demo.report()
            _ = try plain.latestWhenDrained()
            _ = try renaming.latestWhenDrained()
            let (before, after) = (try plain.metrics().samples, try renaming.metrics().samples)
            for (registered, shown, factor) in Self.names {
                let own = before.filter {
                    [registered, "\(registered)_sum"].contains($0.name) && $0.labels["quantile"] == nil
                }
                #expect(!own.isEmpty, "the demo has no \(registered)")
                for sample in own {
                    let name = shown + sample.name.dropFirst(registered.count)
                    let other = try #require(after.first { $0.name == name && $0.labels == sample.labels }, "\(name)")
                    let expected = sample.value * factor
                    // Each collector measures the length of a tick by itself.
                    #expect(abs(other.value - expected) <= abs(expected) * 1e-4, "\(name)")
                }
                #expect(!after.contains { $0.name.hasPrefix(registered) })
            }
            func edges(_ samples: [Exposition.Sample], _ name: String) -> [Double] {
                samples.filter { $0.name == "\(name)_bucket" }.compactMap { $0.labels["le"].flatMap { Double($0) } }
                    .sorted()
            }
            let own = edges(before, "strategy_order_execution_seconds").filter(\.isFinite)
            let shown = edges(after, "execution_time_ms").filter(\.isFinite)
            #expect(own.count == shown.count && own.count > 20)
            #expect(zip(own, shown).allSatisfy { abs($0 * 1e3 - $1) <= $1 * 1e-12 })
            try expectSameHistory(plain, renaming)
            for daemon in [plain, renaming] { #expect(try daemon.process.end() == .code(0)) }
            #expect(try demo.process.end() == .code(0))
        }

        private struct Answer: Decodable {
            let series: [Series]

            struct Series: Decodable {
                let unit: String
                let points: [Point]
            }

            struct Point: Decodable {
                let count: UInt64
                let sum, p50, p99: Double
            }
        }

        /// Expects that the minutes of a converted histogram have the same values, as precisely as the pages promise.
        private func expectSameHistory(_ plain: Daemon, _ renaming: Daemon) throws {
            let asked = [(plain, "strategy_order_execution_seconds"), (renaming, "execution_time_ms")]
            let answers = try asked.map { daemon, metric in
                let response = try daemon.get("/stats/history?metric=\(metric)&from=-1h&step=2h&bot=demo1")
                return try JSONDecoder().decode(Answer.self, from: Data(response.body))
            }
            #expect(answers.map { $0.series.first?.unit } == ["seconds", "ms"])
            let points = try answers.map { try #require($0.series.first?.points.first) }
            #expect(points[0].count == points[1].count && points[0].count > 0)
            #expect(abs(points[1].sum / (points[0].sum * 1e3) - 1) < 1e-4)
            for quantile in [\Answer.Point.p50, \.p99] {
                #expect(abs(points[1][keyPath: quantile] / (points[0][keyPath: quantile] * 1e3) - 1) < 0.0056)
            }
        }

        @Test("one rule makes a collector show one part of a bot, with the rest counted as left out")
        func keep() throws {
            try write("{ metrics: [{ match: 'market_data_*', keep: true }] }", to: "\(folder.path)/keep.json5")
            let daemon = try Daemon(
                rings, ["--state-dir", "\(folder.path)/keep", "--config", "\(folder.path)/keep.json5"])
            let demo = try Demo(rings, ["--bots", "1", "--rate", "5000", "--duration", "1", "--linger", "600"])
            _ = try demo.report()
            let latest = try daemon.latestWhenDrained()
            let names = try #require(latest.bot("demo1")?.metrics.map(\.name))
            #expect(!names.isEmpty && names.allSatisfy { $0.hasPrefix("market_data_") })
            let samples = try daemon.metrics().samples
            let hidden = samples.first {
                $0.name == "ringside_hidden_series" && $0.labels == ["bot": "demo1", "reason": "keep"]
            }
            #expect((hidden?.value ?? 0) > 50)
            #expect(
                samples.allSatisfy {
                    $0.name.hasPrefix("market_data_") || $0.labels["bot"] == nil || $0.name.hasPrefix("ringside_")
                })
            // Objectives use what the bot records, even if it is not shown.
            #expect(samples.contains { $0.name == "ringside_slo_good_events_total" && $0.value > 0 })
            #expect(try daemon.process.end() == .code(0) && demo.process.end() == .code(0))
        }
    }
}
