import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("Exports, changed while the collector runs") struct ExportRouting {
        private let rings = TemporaryRingDirectory()
        private let files = TemporaryRingDirectory(under: "/tmp")
        private var path: String { "\(files.path)/ringside.json5" }

        private func configure(_ routes: [(receiver: HTTPReceiver, bots: String)], more: String = "") throws {
            let exports = routes.map {
                "{ name: 'to \($0.receiver.port)', url: '\($0.receiver.url)', database: 'd', interval: '200ms', gzip: false, bots: '\($0.bots)', collector: false, retry_max: '200ms' }"
            }
            try write("{ exports: { influxdb: [\(exports.joined(separator: ", "))] \(more) } }", to: path)
        }

        /// Returns the bots in a request.
        private func bots(_ request: HTTPReceiver.Request) -> Set<Substring> {
            Set(
                request.text.split(separator: "\n").compactMap { line in
                    line.split(separator: " ")[0].split(separator: ",").first { $0.hasPrefix("bot=") }?.dropFirst(4)
                })
        }

        @Test("two bots change places at SIGHUP, all exports are switched off and on, and no record is lost meanwhile")
        func swapped() throws {
            let (one, two) = (try HTTPReceiver(), try HTTPReceiver())
            try configure([(one, "demo1"), (two, "demo2")])
            let daemon = try Daemon(rings, ["--config", path, "--state-dir", "\(files.path)/state"])
            let demo = try Demo(rings, ["--bots", "2", "--rate", "5000"])
            try Watchdog.wait(for: "each its own") {
                one.taken.last.map(bots) == ["demo1"] && two.taken.last.map(bots) == ["demo2"]
            }
            try configure([(one, "demo2"), (two, "demo1")])
            daemon.process.send(SIGHUP)
            try Watchdog.wait(for: "the other's") {
                one.taken.last.map(bots) == ["demo2"] && two.taken.last.map(bots) == ["demo1"]
            }
            // Each request has one of the two bots, so none was made by half of a configuration.
            #expect(
                one.taken.map(bots).allSatisfy { $0.count <= 1 } && two.taken.map(bots).allSatisfy { $0.count <= 1 })
            try configure([(one, "demo2"), (two, "demo1")], more: ", enabled: false")
            daemon.process.send(SIGHUP)
            try Watchdog.wait(for: "no exports") { try daemon.get("/health").text.contains("\"exports\":[]") }
            let before = one.requests.count
            let drained = try daemon.latest().bots.flatMap(\.rings).map(\.drained).reduce(0, +)
            try daemon.latest(when: "records drained all the same") {
                $0.bots.flatMap(\.rings).map(\.drained).reduce(0, +) > drained + 5000
            }
            #expect(one.requests.count == before)
            try configure([(one, "*")])
            daemon.process.send(SIGHUP)
            try Watchdog.wait(for: "both") { one.taken.last.map(bots) == ["demo1", "demo2"] }
            #expect(try daemon.latest().bots.flatMap(\.rings).allSatisfy { $0.lostTotal == 0 })
            #expect(try demo.process.end() == .code(0))
            #expect(try daemon.process.end() == .code(0))
        }

        @Test("entries queued for a destination keep waiting when the configuration changes around it")
        func kept() throws {
            let port = try HTTPReceiver().port
            let away =
                "name: 'away', url: 'http://127.0.0.1:\(port)', database: 'd', interval: '200ms', retry_max: '200ms'"
            try write("{ exports: { influxdb: [{ \(away) }] } }", to: path)
            let daemon = try Daemon(rings, ["--config", path])
            func queue() throws -> Double {
                try daemon.metrics().samples.first { $0.name == "ringside_export_queue_entries" }?.value ?? 0
            }
            try Watchdog.wait(for: "a queue") { try queue() >= 3 }
            // Another interval makes another lane for the same queue.
            try write("{ exports: { influxdb: [{ \(away), connect_timeout: '1s' }] } }", to: path)
            let before = try queue()
            #expect(try HTTPClient.request("/-/reload", port: daemon.port, method: "POST").status == 200)
            try Watchdog.wait(for: "a queue that grows on") { try queue() > before + 2 }
            let receiver = try HTTPReceiver(port: port)
            try Watchdog.wait(for: "an empty queue") { try queue() == 0 }
            #expect(receiver.taken.count >= Int(before) + 3)
            #expect(try daemon.process.end() == .code(0))
            #expect(daemon.log.contains { $0.contains("kept in memory only") })
        }
    }
}
