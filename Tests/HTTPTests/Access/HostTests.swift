import Configuration
import Glibc
import TestSupport
import Testing

@testable import HTTP

/// Tests the name by which a request reaches the server, and the page that sends it.
@Suite struct HostTests {
    private func status(_ server: HTTPTestServer, _ line: String, _ headers: [String]) throws -> Int {
        let client = try HTTPTestClient(port: server.port)
        try client.send(([line] + headers).joined(separator: "\r\n") + "\r\n\r\n")
        return try client.receive().status
    }

    @Test(
        "names of this machine and addresses are answered, all others are refused whatever is asked",
        arguments: [
            ("localhost", 200), ("LOCALHOST:8000", 200), ("localhost.", 200), ("grafana.localhost:1", 200),
            ("127.0.0.1", 200), ("127.0.0.1:8000", 200), ("127.9.8.7", 200), ("[::1]:8000", 200), ("[::1]", 200),
            ("10.1.2.3:80", 200), ("[2001:db8::7]:8000", 200), ("trader.example", 200), ("Trader.Example:8443", 200),
            ("also.example", 200), ("127.0.0.1:", 200),
            ("evil.example", 421), ("evil.example:8000", 421), ("localhost.evil.example", 421), ("notlocalhost", 421),
            ("127.0.0.1.evil.example", 421), ("1.2.3.4.5", 421), ("trader.example.evil.example", 421), ("x", 421),
            ("", 400), ("evil.example/", 400), ("user@127.0.0.1", 400), ("127.0.0.1:8000:1", 400), ("[::1", 400),
            ("[::1]x", 400), ("[evil.example]", 400), ("a b", 400), ("127.0.0.1:99999", 400), ("127.0.0.1,evil", 400),
        ])
    func names(host: String, expected: Int) throws {
        var web = WebConfiguration()
        web.allowedHosts = ["ALSO.example"]
        let server = try HTTPTestServer(web: web)
        for (line, good) in [("GET /-/healthy", 200), ("HEAD /-/ready", 200), ("POST /act", 200), ("GET /no", 404)] {
            let client = try HTTPTestClient(port: server.port)
            try client.send("\(line) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            let answer = try client.receive(hasBody: !line.hasPrefix("HEAD"))
            #expect(answer.status == (expected == 200 ? good : expected), "\(line)")
            if expected == 421, line.hasPrefix("GET") {
                #expect(answer.body.contains("--web.allowed-host \(host.prefix { $0 != ":" })"))
            }
        }
    }

    @Test(
        "a request without a Host is taken over HTTP/1.0 alone, one with two never, and an absolute target counts as the Host"
    )
    func forms() throws {
        let server = try HTTPTestServer()
        #expect(try status(server, "GET /-/healthy HTTP/1.0", []) == 200)
        #expect(try status(server, "GET /-/healthy HTTP/1.0", ["Host: evil.example"]) == 421)
        #expect(try status(server, "GET /-/healthy HTTP/1.1", []) == 400)
        for second in ["Host: evil.example", "Host: localhost", "host: localhost"] {
            #expect(try status(server, "GET /-/healthy HTTP/1.1", ["Host: localhost", second]) == 400)
        }
        let local = ["Host: localhost"]
        #expect(try status(server, "GET http://localhost:8000/-/healthy HTTP/1.1", local) == 200)
        #expect(try status(server, "GET http://evil.example/-/healthy HTTP/1.1", local) == 421)
        #expect(try status(server, "GET HTTPS://evil.example/-/healthy HTTP/1.1", local) == 421)
        #expect(try status(server, "GET http://u@localhost/-/healthy HTTP/1.1", local) == 400)
        #expect(try status(server, "GET http:///-/healthy HTTP/1.1", local) == 400)
    }

    private static let navigation = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]

    @Test(
        "pages of other sites may neither read nor do anything; a person, a tool and the server's own pages may",
        arguments: [
            ([], 200, 200), (["Sec-Fetch-Site: none"] + navigation, 200, 200),
            (["Sec-Fetch-Site: same-origin"], 200, 200),
            (["Origin: http://localhost:8000"], 200, 200), (["Origin: https://localhost:8000"], 200, 200),
            (["Sec-Fetch-Site: cross-site"], 403, 403), (["Sec-Fetch-Site: same-site"], 403, 403),
            (["Sec-Fetch-Site: anything"], 403, 403),
            (["Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site"], 403, 403),
            (["Sec-Fetch-Site: cross-site"] + navigation, 200, 403),
            (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"], 403, 403),
            (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"], 403, 403),
            (["Origin: http://evil.example"], 403, 403), (["Origin: null"], 403, 403), (["Origin: "], 403, 403),
            (["Origin: http://localhost:3000"], 403, 403), (["Origin: http://localhost"], 403, 403),
            (["Origin: http://localhost:8000.evil.example"], 403, 403), (["Origin: file://"], 403, 403),
            (["Origin: http://evil.example"] + navigation, 403, 403),
        ] as [([String], Int, Int)])
    func sites(headers: [String], read: Int, write: Int) throws {
        let server = try HTTPTestServer()
        let own = ["Host: localhost:8000"] + headers
        #expect(try status(server, "GET /-/healthy HTTP/1.1", own) == read)
        #expect(try status(server, "POST /act HTTP/1.1", own + ["Content-Length: 0"]) == write)
    }

    @Test("a port that a scheme has by itself need not be said")
    func standardPorts() throws {
        let server = try HTTPTestServer()
        for (host, origin, expected) in [
            ("trader.example", "https://trader.example", 200), ("trader.example:443", "https://trader.example", 200),
            ("trader.example", "http://trader.example:80", 200), ("trader.example", "https://trader.example:8443", 403),
        ] {
            #expect(
                try status(server, "GET /-/healthy HTTP/1.1", ["Host: \(host)", "Origin: \(origin)"]) == expected,
                "\(origin)")
        }
    }

    @Test("beyond loopback the machine's own name is answered, alone and with its domains")
    func machine() throws {
        let folder = TemporaryRingDirectory(under: "/tmp")
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, 255)
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let short = name.prefix { $0 != "." }
        RingFile.make(
            "\(folder.path)/hosts", Array("127.0.1.1 \(name) own.alias # no.alias\n10.0.0.1 other.alias\n".utf8))
        RingFile.make("\(folder.path)/resolv", Array("nameserver 10.0.0.1\nsearch corp.example b.example\n".utf8))
        let names = HostNames.ofThisMachine(hosts: "\(folder.path)/hosts", resolver: "\(folder.path)/resolv")
        for expected in [name, String(short), "own.alias", "\(short).corp.example", "\(short).b.example"] {
            #expect(names.contains(expected))
        }
        #expect(!names.contains("other.alias") && !names.contains("no.alias"))
        let own = try #require(HTTPAuthority(name))
        #expect(HostNames(listenHost: "", isLoopback: false, configured: []).accept(own, also: []))
        let far = try #require(HTTPAuthority("listen.example"))
        #expect(HostNames(listenHost: "listen.example", isLoopback: true, configured: []).accept(far, also: []))
        #expect(!HostNames(listenHost: "127.0.0.1", isLoopback: true, configured: []).accept(far, also: []))
    }

    @Test(
        "behind a proxy, the host and the origin of the external URL are the server's own, whatever Host the proxy sends"
    )
    func external() throws {
        let server = try HTTPTestServer(externalURL: "https://desk.example:8443/ringside/")
        for host in ["desk.example:8443", "desk.example", "127.0.0.1:8000"] {
            let own = ["Host: \(host)", "Sec-Fetch-Site: same-origin", "Origin: https://desk.example:8443"]
            #expect(try status(server, "POST /act HTTP/1.1", own) == 200, "\(host)")
        }
        for origin in ["http://desk.example:8443", "https://desk.example", "https://evil.example:8443", "null"] {
            let foreign = ["Host: 127.0.0.1:8000", "Origin: \(origin)"]
            #expect(try status(server, "POST /act HTTP/1.1", foreign) == 403, "\(origin)")
        }
    }
}
