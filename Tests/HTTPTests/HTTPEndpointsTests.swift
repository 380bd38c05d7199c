import Exposition
import FoundationEssentials
import Glibc
import Testing

@testable import HTTP

@Suite struct HTTPEndpointsTests {
    private func answer(_ path: String, from server: HTTPTestServer) throws -> HTTPTestClient.Response {
        let client = try HTTPTestClient(port: server.port)
        try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try server.waitForRequests(1)
        server.publish()
        return try client.receive()
    }

    @Test("metrics come as Prometheus text, the collector's own among them")
    func metrics() throws {
        let response = try answer("/metrics", from: HTTPTestServer())
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(response.body.contains("ringside_build_info{version=\"9.9\"} 1\n"))
        #expect(response.body.contains("\nprocess_resident_memory_bytes "))
    }

    @Test("latest and health come as JSON")
    func json() throws {
        let server = try HTTPTestServer()
        let latest = try answer("/latest", from: server)
        #expect(latest.headers["content-type"] == "application/json")
        #expect(latest.body.hasPrefix("{\"time\":0.000000007,\"collector\":{\"version\":\"9.9\","))
        let rest = #"},"unread_rings":[],"bots":[],"slo":[],"alerts":[],"silences":[],"waiting":[]}"#
        #expect(latest.body.hasSuffix(rest))
        let health = try answer("/health", from: server)
        #expect(health.status == 200)
        #expect(health.body.hasPrefix("{\"status\":\"ok\""))
    }

    @Test("a probe asks for one bot or lane, and a misspelt question never answers that all is well")
    func probes() throws {
        let server = try HTTPTestServer()
        for path in ["/health", "/-/healthy"] {
            #expect(try answer("\(path)?bot=none", from: server).status == 404)
            #expect(try answer("\(path)?lane=none.md", from: server).status == 404)
            #expect(try answer("\(path)?strict", from: server).status == 200)
            for wrong in ["?bott=a", "?bot=a&lane=b", "?verbose=1"] {
                let response = try answer("\(path)\(wrong)", from: server)
                #expect(response.status == 400 && response.body.hasPrefix("Expected ?bot=NAME"))
            }
        }
        #expect(try HTTPTestClient.get("/-/healthy", port: server.port).body == "The collector serves.\n")
    }

    @Test("until the collector is ready its totals are not shown, and it says so")
    func readiness() throws {
        let server = try HTTPTestServer(isReady: false)
        for path in ["/-/ready", "/metrics", "/latest"] {
            let response = try HTTPTestClient.get(path, port: server.port)
            #expect(response.status == 503)
            #expect(response.body == "the collector has not yet caught up with its rings\n")
        }
        #expect(try HTTPTestClient.get("/-/healthy", port: server.port).status == 200)
        #expect(try answer("/health", from: server).status == 200)
        server.readiness.markReady()
        #expect(try HTTPTestClient.get("/-/ready", port: server.port).status == 200)
        #expect(try answer("/metrics", from: server).status == 200)
    }

    @Test("the root shows what this is and where to go, and every path it names is served")
    func root() throws {
        struct Information: Decodable {
            let name, version: String
            let endpoints: [String]
        }
        let server = try HTTPTestServer(patience: 10_000_000)
        let response = try HTTPTestClient.get("/", port: server.port)
        let information = try JSONDecoder().decode(Information.self, from: Data(response.body.utf8))
        #expect(information.name == "ringside" && information.version == "9.9")
        #expect(information.endpoints.contains("/metrics"))
        for path in information.endpoints {
            #expect(try HTTPTestClient.get(path, port: server.port).status != 404)
        }
    }

    @Test("the process statistics are those of this process")
    func process() throws {
        let statistics = try #require(ProcessStatistics.ofThisProcess())
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        #expect(statistics.startSeconds > 1e9 && statistics.startSeconds < Double(time.tv_sec) + 1)
        #expect(statistics.residentBytes > 1 << 20 && statistics.residentBytes < statistics.virtualBytes)
        #expect(statistics.threads >= 1 && statistics.cpuSeconds >= 0)
        let descriptors = (0..<10).map { _ in open("/dev/null", O_RDONLY) }
        defer { descriptors.forEach { close($0) } }
        #expect(statistics.maximumDescriptors > 10)
        #expect(try #require(ProcessStatistics.ofThisProcess()).openDescriptors >= 13)
    }
}
