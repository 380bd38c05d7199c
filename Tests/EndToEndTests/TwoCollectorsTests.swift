import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A collector for each bot") struct TwoCollectors {
        private let rings = TemporaryRingDirectory()
        private let state = TemporaryRingDirectory(under: "/tmp")

        private func collector(_ name: String, _ options: [String], port: UInt16 = 0) throws -> Daemon {
            try Daemon(
                rings, options + ["--state-dir", "\(state.path)/\(name)", "--web.listen-address", "127.0.0.1:\(port)"])
        }

        private func expect(_ daemon: Daemon, has bots: [String], of reports: [Report]) throws {
            let latest = try daemon.latestWhenDrained()
            #expect(latest.bots.map(\.bot) == bots)
            let scrape = try daemon.metrics().samples
            for name in bots {
                let bot = try #require(latest.bot(name))
                let ring = try #require(reports.flatMap(\.rings).first { $0.bot == name })
                #expect(
                    bot.up && bot.totals.differences(from: ring.totals) == [] && bot.gauges == ring.gauges, "\(name)")
                #expect(bot.rings.map(\.drained) == [ring.records] && bot.rings.map(\.lostTotal) == [0], "\(name)")
                #expect(scrape.value("ringside_records_total", ["bot": name]) == Double(ring.records))
            }
            #expect(Set(scrape.compactMap { $0.labels["bot"] }) == Set(bots))
        }

        @Test(
            "each shows its bot alone and is untouched when the other is killed, which catches up exactly when it is back"
        )
        func separate() throws {
            let bots = try ["alpha", "beta"].map {
                try Demo(rings, ["--name", $0, "--rate", "5000", "--duration", "4", "--linger", "600"])
            }
            var alpha = try collector("alpha", ["--ring", "alpha1"])
            let beta = try collector("beta", ["--ring", "beta1"])
            let all = try collector("all", [])
            for (daemon, name) in [(alpha, "alpha1"), (beta, "beta1"), (all, "alpha1"), (all, "beta1")] {
                try daemon.latest(when: "records of \(name)") { ($0.bot(name)?.rings.first?.drained ?? 0) > 0 }
            }
            let port = alpha.port
            #expect(try alpha.process.end(by: SIGKILL) == .signal(SIGKILL))
            let before = try beta.latest().bot("beta1")?.rings.first?.drained ?? 0
            try beta.latest(when: "more records of beta1") {
                ($0.bot("beta1")?.rings.first?.drained ?? 0) > before + 1000
            }
            #expect(throws: (any Error).self) { try HTTPClient.request("/-/ready", port: port) }
            let reports = try bots.map { try $0.report() }
            // Only the killed collector has missed records, and all that it missed are still there.
            try expect(beta, has: ["beta1"], of: reports)
            try expect(all, has: ["alpha1", "beta1"], of: reports)
            alpha = try collector("alpha", ["--ring", "alpha1"], port: port)
            #expect(alpha.port == port)
            try expect(alpha, has: ["alpha1"], of: reports)
            for daemon in [alpha, beta, all] { #expect(try daemon.process.end() == .code(0)) }
            for bot in bots { #expect(try bot.process.end() == .code(0)) }
        }
    }
}
