import Rules
import Series
import Testing

@testable import Configuration

@Suite("Exports by OTLP and by remote write, and their routes") struct ExportSectionTests {
    private func exports(_ text: String) throws -> [ExportDefinition] {
        try CollectorConfiguration(Array("{ exports: { \(text) } }".utf8), file: "f").exports
    }

    @Test("OTLP sends metrics unless told otherwise, and each of its two signals has a queue of its own")
    func otlp() throws {
        let read = try exports(
            """
            otlp: [
              { url: "http://vm:8428/opentelemetry" },
              { name: "both", url: "https://o", send: ["metrics", "traces"], scale: 5, max_buckets: "none", batch_points: 50,
                span_buffer: 10, batch_spans: 5, bearer_token: "t", bots: "a*", gzip: false },
              { name: "spans", url: "https://o", send: ["traces"] },
            ]
            """)
        #expect(read.map(\.destination.name) == ["otlp vm:8428", "both", "both traces", "spans"])
        #expect(read[0].kind == .otlpMetrics(OTLPOptions()) && read[0].compresses)
        var metrics = OTLPOptions()
        (metrics.scale, metrics.bucketLimit, metrics.batchPoints) = (5, nil, 50)
        #expect(read[1].kind == .otlpMetrics(metrics))
        var traces = OTLPTraceOptions()
        (traces.bufferSpans, traces.batchSpans) = (10, 5)
        #expect(read[2].kind == .otlpTraces(traces))
        for export in read[1...2] {
            #expect(export.destination.authorization == .bearer(.text("t")) && export.route.takeBots == [Glob("a*")])
            #expect(!export.compresses)
        }
        #expect(read[3].kind == .otlpTraces(OTLPTraceOptions()))
        #expect(try exports("enabled: false, otlp: [{ url: 'http://o' }]") == [])
        #expect(try exports("otlp: [{ url: 'http://o', enabled: false, send: ['metrics', 'traces'] }]") == [])
    }

    @Test("remote write's histograms, and what it says of every series")
    func remoteWrite() throws {
        let read = try exports(
            """
            remote_write: [
              { url: "http://p:9090/api/v1/write" },
              { name: "c", url: "http://v/api/v1/write", histograms: "classic", schema: 3, max_buckets: 100, batch_series: 7,
                interval: "1s", labels: { host: "t1", desk: "rates" } },
            ]
            """)
        #expect(read[0].kind == .remoteWrite(RemoteWriteOptions()))
        var options = RemoteWriteOptions()
        (options.histograms, options.schema, options.bucketLimit, options.batchSeries) = (.classic, 3, 100, 7)
        #expect(read[1].kind == .remoteWrite(options) && read[1].intervalNanoseconds == 1_000_000_000)
        #expect(read[1].labels == [Label("desk", "rates"), Label("host", "t1")])
    }

    @Test("a route takes series by bot, metric and label, of which the bot's are its series' too")
    func routes() throws {
        let route = try exports(
            """
            otlp: [{ url: 'http://o', bots: ["a*", "b"], leave_bots: "ax", metrics: "orders_*", leave_metrics: ["*_debug"],
              match_labels: { env: "p*", venue: "?" }, leave_labels: { symbol: "TEST*" } }]
            """)[0].route
        #expect(route.takes(bot: "alpha") && route.takes(bot: "b") && !route.takes(bot: "ax") && !route.takes(bot: "c"))
        #expect(route.takes(metric: "orders_total") && !route.takes(metric: "orders_debug"))
        let paper = [Label("env", "paper")]
        #expect(route.takes(labels: [Label("venue", "X")], of: paper))
        #expect(!route.takes(labels: [Label("venue", "XY")], of: paper))
        #expect(!route.takes(labels: [], of: paper))
        #expect(!route.takes(labels: [Label("venue", "X"), Label("env", "live")], of: paper))
        #expect(!route.takes(labels: [Label("venue", "X"), Label("symbol", "TEST1")], of: paper))
        #expect(route.takes(labels: [Label("venue", "X"), Label("symbol", "AAPL")], of: paper))
    }
}
