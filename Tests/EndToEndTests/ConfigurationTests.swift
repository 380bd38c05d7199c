import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A collector with a configuration") struct ConfigurationTests {
        private let rings = TemporaryRingDirectory()

        private var path: String { "\(rings.path)/configuration.json5" }

        private func write(_ text: String) throws {
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            try #require(file >= 0)
            #expect(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
            close(file)
        }

        private func check() throws -> (exit: ChildProcess.Exit, output: String, errors: [Substring]) {
            try run([ChildProcess.builtProgram("ringsided"), "--config", path, "--check-config"])
        }

        @Test("--check-config reports a good file, and every error of a bad one line by line")
        func checking() throws {
            try write("{ rings: { leave: ['test-*'] } }")
            let good = try check()
            #expect(good.exit == .code(0) && good.output == "\(path): good\n")
            try write("{\n rings: { leaves: ['test-*'] },\n windows: ['7x'] }")
            let bad = try check()
            #expect(bad.exit == .code(1) && bad.output.isEmpty)
            #expect(bad.errors.contains { $0.contains("\(path):2: rings.leaves: unknown key; did you mean `leave`?") })
            #expect(bad.errors.contains { $0.hasPrefix("\(path):3: windows[0]: found \"7x\", expected") })
            let both = try run([
                ChildProcess.builtProgram("ringsided"), "--config", path, "--web.config.file", rings.path,
                "--check-config",
            ])
            #expect(both.exit == .code(1) && both.errors.count == 3)
            #expect(
                both.errors.last
                    == "cannot read the web configuration \(rings.path): it is a directory; name a file in it")
        }

        @Test(
            "a file changed while records flow is in force at SIGHUP and at POST /-/reload, a bad one is not, and no record is lost"
        )
        func reloading() throws {
            try write("{ metrics: [{ match: 'no_such_*', drop: true }] }")
            let daemon = try Daemon(rings, ["--config", path])
            let demo = try Demo(rings, ["--bots", "2", "--rate", "20000", "--duration", "4", "--linger", "600"])
            let names = try daemon.latest(when: "both bots") {
                $0.bots.count == 2 && $0.bots.allSatisfy { !$0.metrics.isEmpty }
            }.bots[0].metrics.filter { $0.kind == "counter" }.map(\.name)
            let victim = try #require(names.first)
            try write("{ metrics: [{ match: '\(victim)', bot: 'demo1', drop: true }] }")
            daemon.process.send(SIGHUP)
            try daemon.latest(when: "a metric dropped") { $0.bot("demo1")?.metric(victim) == nil }
            #expect(try daemon.latest().bot("demo2")?.metric(victim) != nil)
            try write("{ metrics: [\n oops ] }")
            let refused = try HTTPClient.request("/-/reload", port: daemon.port, method: "POST")
            #expect(refused.status == 500)
            #expect(refused.text.contains("\(path):2: metrics[0]: 'oops' is not a value"))
            #expect(try daemon.metrics().values["ringside_config_last_reload_successful"] == 0)
            #expect(try daemon.latest().bot("demo1")?.metric(victim) == nil)
            try write("{ windows: ['5s'] }")
            let answer = try HTTPClient.request("/-/reload", port: daemon.port, method: "POST")
            #expect(answer.status == 200)
            #expect(answer.text.contains("windows: changes only with a restart"))
            #expect(try daemon.metrics().values["ringside_config_last_reload_successful"] == 1)
            #expect(try HTTPClient.request("/-/reload", port: daemon.port).status == 405)
            _ = try demo.report()
            let drained = try daemon.latestWhenDrained()
            #expect(drained.bot("demo1")?.metric(victim) != nil)
            for ring in drained.bots.flatMap(\.rings) {
                #expect(ring.drained == ring.position && ring.lostTotal == 0 && ring.drained > 0)
            }
        }

        @Test(
            "a ring that the configuration excludes is read no more, and read on from there when it is included again")
        func layingAside() throws {
            try write("{}")
            let daemon = try Daemon(rings, ["--config", path])
            let demo = try Demo(rings, ["--bots", "2", "--rate", "2000"])
            try daemon.latest(when: "both bots") { $0.bots.count == 2 && $0.bots.allSatisfy(\.up) }
            try write("{ rings: { leave: ['demo2'] } }")
            daemon.process.send(SIGHUP)
            let left = try daemon.latest(when: "a ring excluded") { $0.bot("demo2")?.up == false }
            let stopped = try #require(left.bot("demo2")?.rings.first)
            let later = try daemon.latest(when: "a backlog that grows") {
                ($0.bot("demo2")?.rings.first?.backlog ?? 0) > stopped.backlog + 1000
            }
            #expect(later.bot("demo2")?.rings.first?.drained == stopped.drained)
            #expect(later.bot("demo1")?.up == true)
            try write("{ rings: { take: ['demo*'] } }")
            daemon.process.send(SIGHUP)
            let again = try daemon.latest(when: "a ring read on") {
                ($0.bot("demo2")?.rings.first?.drained ?? 0) > stopped.drained + 1000 && $0.bot("demo2")?.up == true
            }
            #expect(again.bot("demo2")?.rings.first?.lostTotal == 0)
            #expect(try demo.process.end() == .code(0))
        }
    }
}
