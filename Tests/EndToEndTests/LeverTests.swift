import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Tests each step of rolling out and rolling back on the page on sampling, on a running bot.
    @Suite("The levers over running bots") struct Levers {
        private let rings = TemporaryRingDirectory()

        private func control(_ arguments: String...) throws {
            let (exit, _, errors) = try run(
                [ChildProcess.builtProgram("ringside"), "control", "--ring-dir", rings.path] + arguments)
            guard exit == .code(0) else { throw Unexpected(description: "control \(arguments): \(errors)") }
        }

        private func listed() throws -> String {
            try run([ChildProcess.builtProgram("ringside"), "list", "--ring-dir", rings.path, "--interval", "10ms"])
                .output
        }

        /// The bot's activity so far, as the collector sees it.
        private struct Sum {
            var position: UInt64 = 0
            var calls: UInt64 = 0
            var count: UInt64 = 0
            var counters = 0.0

            init(_ latest: Latest) {
                guard let bot = latest.bot("demo1") else { return }
                position = bot.rings.reduce(0) { $0 + $1.position }
                for metric in bot.metrics {
                    calls += metric.calls ?? 0
                    count += metric.count ?? 0
                    if metric.kind == "counter" { counters += metric.value ?? 0 }
                }
            }
        }

        private func windows(_ latest: Latest, _ span: String) -> [Bool] {
            (latest.bot("demo1")?.metrics ?? []).filter { $0.kind == "histogram" }
                .compactMap { $0.windows[span]?.complete }
        }

        @Test("off at once and whole again, then one call in ten with the weights of all")
        func oneBot() throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(rings, ["--rate", "2000", "--duration", "600"])
            try daemon.latest(when: "a bot that writes") { Sum($0).position > 2000 }

            try control("demo1", "--disable")
            let frozen = Sum(try daemon.latestWhenDrained())
            usleep(700_000)
            let later = try daemon.latest()
            #expect(Sum(later).position == frozen.position && Sum(later).counters == frozen.counters)
            #expect(Sum(later).calls == frozen.calls && !windows(later, "1m").contains(true))
            #expect(try listed().contains("  off  "))

            try control("demo1", "--enable")
            try daemon.latest(when: "a bot that goes on") {
                Sum($0).position > frozen.position + 1000 && Sum($0).counters > frozen.counters
            }

            try control("demo1", "--sampling", "10%")
            #expect(try listed().contains("  1/10  "))
            let begin = Sum(try daemon.latestWhenDrained())
            try daemon.latest(when: "ten thousand calls") { Sum($0).calls > begin.calls + 10_000 }
            let end = try daemon.latestWhenDrained()
            let calls = Double(Sum(end).calls - begin.calls)
            // The limit is eight standard deviations of a coin toss for each call, a chance below 1e-14.
            #expect(abs(Double(Sum(end).count - begin.count) - calls) < 8 * (calls * 9).squareRoot())
            #expect(Double(Sum(end).position - begin.position) < calls / 5)
            // A second after the metrics were on again nothing is missing from the last second, though nine calls in
            // ten are unwritten.
            try daemon.latest(when: "a whole second") {
                !windows($0, "1s").isEmpty && !windows($0, "1s").contains(false)
            }
            #expect(try demo.process.end() == .code(0))
        }

        @Test("one metric off is one metric's windows incomplete, and every other goes on")
        func oneMetric() throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(rings, ["--rate", "2000", "--duration", "600"])
            let known = try daemon.latest(when: "a bot that writes") { Sum($0).position > 2000 }
            let busiest = try #require(
                known.bot("demo1")?.metrics.filter { $0.kind == "histogram" }.max { $0.calls ?? 0 < $1.calls ?? 0 })
            try control("demo1", "--metric", busiest.name, "--disable")
            let frozen = try daemon.latestWhenDrained()
            let later = try daemon.latest(when: "a bot that goes on") {
                Sum($0).position > Sum(frozen).position + 500
            }
            for metric in later.bot("demo1")?.metrics ?? [] where metric.kind == "histogram" {
                let isOff = metric.name == busiest.name
                #expect(metric.windows["5s"]?.complete == !isOff, "\(metric.key)")
                if isOff {
                    #expect(metric.calls == frozen.bot("demo1")?.metric(metric.name, metric.labels)?.calls)
                }
            }
            #expect(
                try daemon.metrics().samples.value("ringside_window_incomplete", ["bot": "demo1", "window": "5s"]) == 1)
            #expect(try demo.process.end() == .code(0))
        }

        @Test(
            "a bot that starts under the host-wide switch obeys it, and its exact calls stand beside its weighted counts"
        )
        func wholeHost() throws {
            try control("--all", "--sampling", "1/10")
            let daemon = try Daemon(rings)
            let demo = try Demo(rings, ["--rate", "5000", "--duration", "3", "--linger", "600"])
            let report = try demo.report().ring("demo1")
            let latest = try daemon.latestWhenDrained()
            let bot = try #require(latest.bot("demo1"))
            #expect(bot.rings[0].lostTotal == 0)
            for metric in report.metrics where metric.kind == "histogram" {
                let seen = try #require(bot.metric(metric.name, metric.labels))
                let calls = try #require(metric.count)
                #expect(seen.calls == calls)
                let deviation = (Double(calls) * 9).squareRoot()
                #expect(abs(Double(seen.count ?? 0) - Double(calls)) <= 8 * deviation, "\(metric.key)")
            }
            for metric in report.metrics where metric.kind == "counter" {
                #expect(bot.metric(metric.name, metric.labels)?.value == metric.value)
            }
            #expect(Double(bot.rings[0].position) < Double(report.records) / 5)
            #expect(try listed().contains("  1/10  "))

            // The whole host is switched off, and on.
            try control("--all", "--disable")
            #expect(try listed().contains("  off  "))
            try control("--all", "--enable", "--sampling", "1/1")
            #expect(try listed().contains("  all  "))
            #expect(!rings.entries().contains(".ringside-control"))
            #expect(try demo.process.end() == .code(0))
        }

        @Test("a bot with a ceiling is held below it while it floods, and its counts stand for all its calls")
        func ceiling() throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(
                rings, ["--rate", "0", "--duration", "3", "--linger", "600"],
                environment: ["RINGSIDE_MAX_RATE": "20000"])
            let report = try demo.report().ring("demo1")
            let bot = try #require(try daemon.latestWhenDrained().bot("demo1"))
            // The feed is followed by the work that was still under way, for which a second is allowed.
            #expect(bot.rings[0].position < UInt64(20_000 * 4.08) && bot.rings[0].lostTotal == 0)
            let calls = report.metrics.reduce(0) { $0 + ($1.kind == "histogram" ? $1.count ?? 0 : 0) }
            let counts = bot.metrics.reduce(0) { $0 + ($1.count ?? 0) }
            #expect(calls > 200_000)
            #expect(abs(Double(counts) / Double(calls) - 1) < 0.1)
            #expect(try demo.process.end() == .code(0))
        }
    }
}
