import Rules
import Series
import Testing

@testable import Configuration

@Suite struct DestinationSectionTests {
    @Test("destinations are read with all they say")
    func everything() throws {
        let text = """
            { alertmanagers: [{ url: "http://am:9093/", interval: "30s", labels: { site: "ld4" }, generator_url: "http://desk/",
                severities: ["P0", "P1"], bots: "mm-*" }],
              webhooks: [{ name: "pager", url: "https://p.example/x?k=1", basic_auth: { user: "u", password_file: "/p" },
                headers: { "X-Key": "v" }, ca_file: "/ca.pem", connect_timeout: "2s", timeout: "1m", retry_max: "10s",
                queue: { max_bytes: 1e6, max_age: "2h" }, alerts: "acks*", send_resolved: false, objectives: true,
                body: '{"text": "{{alert}}", "value": {{ value }}}' }],
              exports: { influxdb: [
                { url: "http://i:8086", database: "desk", retention_policy: "week", interval: "5s", batch_lines: 100, gzip: false,
                  metrics: ["orders_*"], leave_metrics: ["*_debug"], bots: "a*", leave_bots: ["ab"], collector: false,
                  labels: { host: "h" } },
                { name: "two", url: "http://i:8087", org: "o", bucket: "b", token: "t" },
                { name: "off", url: "http://i:8088", database: "x", enabled: false },
              ] } }
            """
        let read = try configuration(text)
        let manager = try #require(read.alertmanagers.first)
        #expect(manager.destination.name == "alertmanager am:9093" && manager.intervalSeconds == 30)
        #expect(manager.labels == [Label("site", "ld4")] && manager.generatorURL == "http://desk/")
        #expect(manager.selection.takes(alert: "x", severity: "P1", bot: "mm-1"))
        #expect(!manager.selection.takes(alert: "x", severity: "P2", bot: "mm-1"))
        #expect(!manager.selection.takes(alert: "x", severity: "P1", bot: "x"))
        let hook = try #require(read.webhooks.first)
        #expect(hook.destination.authorization == .basic(user: "u", password: .file("/p")))
        #expect(hook.destination.headers == [Destination.Header(name: "X-Key", value: "v")])
        #expect(hook.destination.certificateAuthorityFile == "/ca.pem")
        #expect(
            hook.destination.connectTimeoutMilliseconds == 2000 && hook.destination.requestTimeoutMilliseconds == 60_000
        )
        #expect(hook.destination.longestPauseNanoseconds == 10_000_000_000)
        #expect(hook.destination.queue.maximumBytes == 1_000_000 && hook.destination.queue.maximumAgeSeconds == 7200)
        #expect(!hook.sendsResolved && hook.sendsObjectives && hook.selection.alerts == [Glob("acks*")])
        #expect(hook.body?.filled { "<\($0.rawValue)>" } == #"{"text": "<alert>", "value": <value>}"#)
        #expect(read.exports.map(\.destination.name) == ["influxdb i:8086", "two"])
        let first = read.exports[0]
        guard case .influxDB(let options) = first.kind else { return }
        #expect(options.target == .database("desk", retentionPolicy: "week") && options.batchLines == 100)
        #expect(first.intervalNanoseconds == 5_000_000_000 && !first.compresses && !first.route.sendsCollector)
        #expect(first.route.takes(metric: "orders_total") && !first.route.takes(metric: "orders_debug"))
        #expect(!first.route.takes(metric: "other") && first.route.takes(bot: "aa") && !first.route.takes(bot: "ab"))
        #expect(read.exports[1].destination.authorization == .token(.text("t")))
        #expect(
            try configuration("{ exports: { enabled: false, influxdb: [{ url: 'http://i', database: 'd' }] } }").exports
                == [])
    }

    @Test("a secret is nowhere in a description")
    func secrets() {
        #expect("\(Secret.text("s3cret"))" == "(secret)" && "\(Secret.file("/p"))" == "(secret in /p)")
    }
}
