import FoundationEssentials
import Glibc
import Ringside
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("Pushes by OTLP and by remote write") struct Pushes {
        private let rings = TemporaryRingDirectory()
        private let files = TemporaryRingDirectory(under: "/tmp")

        private func start(_ configuration: String) throws -> Daemon {
            try write(configuration, to: "\(files.path)/ringside.json5")
            return try Daemon(
                rings, ["--config", "\(files.path)/ringside.json5", "--state-dir", "\(files.path)/state"])
        }

        private func expect(_ store: MetricStore, holds ring: Report.Ring, _ name: String) throws {
            // VictoriaMetrics may not yet show points that it has just accepted.
            var differences: [String] = []
            try? Watchdog.wait(for: "totals in \(name)", limitSeconds: 30) {
                differences = try store.totals(of: ring.bot, ring).differences(from: ring.totals)
                if !differences.isEmpty { usleep(300_000) }
                return differences.isEmpty
            }
            #expect(differences == [], "\(name)")
            #expect(ring.totals.count > 100)
        }

        @Test(
            "VictoriaMetrics by OTLP, Prometheus and an older VictoriaMetrics by remote write, all away in the middle, hold at the end exactly what the bots emitted"
        )
        func exact() throws {
            let stores = [
                ("otlp", try MetricStore.victoriaMetrics(takesOTLP: true, in: files.path)),
                ("prometheus", try MetricStore.prometheus(in: files.path)),
                ("classic", try MetricStore.victoriaMetrics(takesOTLP: false, in: files.path)),
            ]
            let urls = stores.map(\.1.peer.url)
            let daemon = try start(
                """
                { exports: {
                  otlp: [{ name: "otlp", url: "\(urls[0])/opentelemetry", interval: "500ms", retry_max: "500ms", batch_points: 700 }],
                  remote_write: [
                    { name: "prometheus", url: "\(urls[1])/api/v1/write", interval: "500ms", retry_max: "500ms", batch_series: 300 },
                    { name: "classic", url: "\(urls[2])/api/v1/write", interval: "500ms", retry_max: "500ms", histograms: "classic" },
                  ],
                } }
                """)
            let seconds = isLongRun ? 90 : 8
            let demo = try Demo(
                rings, ["--bots", "2", "--rate", "3000", "--duration", "\(seconds)", "--linger", "600"])
            for (name, store) in stores {
                try store.wait(for: "series in \(name)", "ringside_up{bot=\"demo1\"}") { !$0.isEmpty }
            }
            for (_, store) in stores { try store.peer.stop() }
            let back = monotonicNanoseconds() + UInt64(isLongRun ? 60 : 3) * 1_000_000_000
            try Watchdog.wait(for: "the time without them", limitSeconds: 120) { monotonicNanoseconds() >= back }
            for export in stores.map(\.0) {
                let entries = try daemon.metrics().samples.first {
                    $0.name == "ringside_export_queue_entries" && $0.labels["export"] == export
                }
                #expect((entries?.value ?? 0) > 0, "\(export)")
            }
            for (_, store) in stores { try store.peer.start() }
            let report = try demo.report()
            _ = try daemon.latestWhenDrained()
            // The last push comes after the last drain.
            #expect(try daemon.process.end() == .code(0))
            for (name, store) in stores {
                for bot in ["demo1", "demo2"] { try expect(store, holds: report.ring(bot), name) }
                // There is one point each half second, except those that a loaded machine left out.
                let points = try store.number("count_over_time(ringside_up{bot=\"demo1\"}[10m])")
                #expect(points >= (isLongRun ? 60 : 5), "\(name): \(points)")
            }
            #expect(daemon.log.filter { $0.contains("rejected") || $0.contains("accepted a part") } == [])
            #expect(try demo.process.end() == .code(0))
        }

        @Test("a bot that dies takes its gauges from both engines at once, and its totals stay")
        func death() throws {
            let store = try MetricStore.prometheus(in: files.path)
            let victoria = try MetricStore.victoriaMetrics(takesOTLP: true, in: files.path)
            let daemon = try start(
                """
                { exports: { remote_write: [{ url: "\(store.peer.url)/api/v1/write", interval: "300ms" }],
                  otlp: [{ url: "\(victoria.peer.url)/opentelemetry", interval: "300ms" }] } }
                """)
            let demo = try Demo(rings, ["--rate", "2000"])
            let gauge = "count({bot=\"demo1\",__name__=~\"strategy_.*_max\"})"
            for store in [store, victoria] { try store.wait(for: "gauges", gauge) { ($0.first?.value ?? 0) > 0 } }
            #expect(try demo.process.end(by: SIGKILL) == .signal(SIGKILL))
            try victoria.wait(for: "the same gauges to leave VictoriaMetrics", gauge) { $0.isEmpty }
            try store.wait(for: "gauges to leave", gauge) { $0.isEmpty }
            #expect(try victoria.number("sum(data_ticks_received_total)") > 0)
            #expect(try store.number("ringside_up{bot=\"demo1\"}") == 0)
            #expect(try store.number("sum(data_ticks_received_total)") > 0)
            #expect(try !store.query("histogram_count(strategy_signal_generation_seconds)").isEmpty)
            #expect(try daemon.process.end() == .code(0))
        }

        private struct Span: Decodable {
            let resource: [String: String]
            let traceID, spanID, parent, name: String
            let start, end: UInt64
            let status: Int
            let flags: UInt32
        }

        @Test("each traced duration is a span, sent once, with its begin, its end and its trace")
        func traces() throws {
            let receiver = try HTTPReceiver { number, _ in number % 3 == 1 ? .status(503) : .status(200) }
            let begun = UInt64(time(nil)) * 1_000_000_000
            let daemon = try start(
                """
                { exports: { otlp: [{ name: "t", url: "\(receiver.url)", send: ["traces"], interval: "300ms", gzip: false,
                  retry_max: "200ms", leave_metrics: ["exchange_*"] }] } }
                """)
            let demo = try Demo(rings, ["--bots", "2", "--rate", "3000", "--duration", "3", "--linger", "600"])
            let report = try demo.report()
            _ = try daemon.latestWhenDrained()
            // Entries refused at the end wait for the next collector.
            receiver.answer { _, _ in .status(200) }
            try Watchdog.wait(for: "a request that is taken") { receiver.taken.count >= 3 }
            #expect(try daemon.process.end() == .code(0))
            #expect(receiver.taken.allSatisfy { $0.path == "/v1/traces" })
            let spans = try decode(receiver.taken.map(\.body))
            for ring in report.rings {
                let mine = spans.filter { $0.resource["bot"] == ring.bot }
                for name in ["orders_submit_to_ack_latency_seconds", "orders_total_fill_latency_seconds"] {
                    let count = ring.metrics.filter { $0.name == name }.reduce(0) { $0 + ($1.count ?? 0) }
                    #expect(mine.count { $0.name == name } == count && count > 0, "\(ring.bot) \(name)")
                }
                #expect(!mine.contains { $0.name.hasPrefix("exchange_") || $0.name == "orders_slippage_bps" })
            }
            #expect(Set(spans.map(\.spanID)).count == spans.count)
            #expect(spans.allSatisfy { $0.start <= $0.end && $0.start >= begun && $0.end < begun + 600_000_000_000 })
            #expect(spans.allSatisfy { !$0.traceID.hasPrefix("0000000000000000") && $0.traceID.utf8.count == 32 })
            // All lanes of a bot make their ids with one prefix, and no two bots have the same prefix.
            let prefixes = Dictionary(grouping: spans) { $0.resource["bot"] ?? "" }.mapValues {
                Set($0.map { $0.traceID.prefix(16) })
            }
            #expect(prefixes.values.allSatisfy { $0.count == 1 } && Set(prefixes.values).count == 2)
            // The stages of one order are of one trace.
            let traces = Dictionary(grouping: spans) { "\($0.resource["bot"] ?? "") \($0.traceID)" }
            #expect(traces.values.contains { Set($0.map(\.name)).count >= 2 })
            #expect(try demo.process.end() == .code(0))
        }

        @Test(
            "a trace that is handed from bot to bot by traceparent is one trace at the receiver, each span under the one that called it"
        )
        func handedOn() throws {
            let receiver = try HTTPReceiver { _, _ in .status(200) }
            let daemon = try start(
                """
                { exports: { otlp: [{ name: "t", url: "\(receiver.url)", send: ["traces"], interval: "200ms", gzip: false }] } }
                """)
            let options = AttachOptions(directory: rings.path, capacityRecords: 4096)
            let alpha = try Telemetry.attach("alpha", options: options)
            let lane = try Telemetry.attach("alpha.orders", options: options)
            let beta = try Telemetry.attach("beta", options: options)
            let decide = try alpha.durationHistogram("decide_seconds", help: "Decide.")
            let send = try lane.durationHistogram("send_seconds", help: "Send.")
            let hedge = try beta.durationHistogram("hedge_seconds", help: "Hedge.")
            let book = try beta.durationHistogram("book_seconds", help: "Book.")
            let orders = 200
            for order in 1...UInt64(orders) {
                var traceparent: String?
                decide.measure(in: alpha.trace(order)) { inDecide in
                    send.measure(in: inDecide) { inSend in traceparent = inSend.traceparent }
                }
                try hedge.measure(in: TraceContext(traceparent: try #require(traceparent))) { inHedge in
                    book.measure(in: inHedge) { _ in }
                }
            }
            for telemetry in [alpha.path, lane.path, beta.path] { #expect(telemetry != nil) }
            _ = try daemon.latest(when: "all records of two bots") { latest in
                latest.bots.count == 2
                    && latest.bots.allSatisfy { $0.rings.allSatisfy { $0.backlog == 0 && $0.position > 0 } }
            }
            #expect(try daemon.process.end() == .code(0))
            let spans = try decode(receiver.taken.map(\.body))
            #expect(spans.count == 4 * orders && Set(spans.map(\.spanID)).count == spans.count)
            let traces = Dictionary(grouping: spans, by: \.traceID)
            #expect(traces.count == orders)
            for trace in traces.values {
                let byName = Dictionary(uniqueKeysWithValues: trace.map { ($0.name, $0) })
                let chain = ["decide_seconds", "send_seconds", "hedge_seconds", "book_seconds"].compactMap {
                    byName[$0]
                }
                #expect(chain.map(\.parent) == [""] + chain.dropLast().map(\.spanID))
                #expect(chain.map(\.flags) == [0x1, 0x101, 0x301, 0x101])
                #expect(chain.map { $0.resource["bot"] } == ["alpha", "alpha", "beta", "beta"])
            }
        }

        private func decode(_ bodies: [[UInt8]]) throws -> [Span] {
            RingFile.make(
                "\(files.path)/bodies",
                bodies.flatMap { body in
                    withUnsafeBytes(of: UInt64(body.count).littleEndian) { Array($0) } + body
                })
            return try Python.run(
                "\(packageFolder)/Tests/ExpositionTests/Python/decode.py", ["otlp-traces", "\(files.path)/bodies"])
        }
    }
}
