import TestSupport
import Testing

@Suite struct CollectorViewTests {
    private let directory = TemporaryRingDirectory()
    private let snapshot = """
        {"time":1.5,"bots":[
          {"bot":"alpha","up":true,"labels":{},"metrics":[],"rings":[
            {"lane":"","pid":1,"position":9,"drained":4,"backlog":5,"lost":{"lapped":2,"corrupt":1}},
            {"lane":"md","pid":1,"position":9,"drained":9,"backlog":0,"lost":{"lapped":0}}]},
          {"bot":"other","up":true,"labels":{},"metrics":[],"rings":[]}],"slo":[],"alerts":[]}
        """

    @Test("backlog and loss come from the collector, by bot and lane, over all reasons")
    func answered() throws {
        for name in ["alpha", "alpha.md", "beta"] { try withTradingRing(name, in: directory) }
        let server = try CannedServer(body: snapshot)
        let rings = try Tool.list(directory, "--collector", server.url)
        #expect(rings.map(\.backlog) == [5, 0, nil])
        #expect(rings.map(\.lost) == [3, 0, nil])
        let withSlash = try Tool.list(directory, "--collector", server.url + "/")
        #expect(withSlash.map(\.backlog) == [5, 0, nil])
    }

    @Test("a collector that does not answer costs the two columns and a message on standard error")
    func unanswered() throws {
        try withTradingRing("alpha", in: directory)
        let servers = [
            try CannedServer(status: "503 Service Unavailable", body: "not ready"), try CannedServer(body: "<html>"),
            try CannedServer(body: "{\"bots\":[{\"bot\":1}]}"), try CannedServer(body: nil),
        ]
        for url in servers.map(\.url) + ["http://127.0.0.1:1", "file:///etc/passwd", "not a url"] {
            let tool = try Tool.run("list", "--ring-dir", directory.path, "--collector", url)
            #expect(tool.exit == .code(0), "\(url)")
            #expect(tool.output.split(separator: "\n")[1].hasSuffix("-     -"), "\(url)")
            #expect(tool.errors.hasPrefix("ringside list: "), "\(url)")
            #expect(tool.errors.contains(url), "\(url)")
        }
    }
}
