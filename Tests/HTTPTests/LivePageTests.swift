import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite("The files of the live page") struct LivePageTests {
    private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
    private static let folder =
        #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Sources/Collector/Page"

    @Test(
        "a browser gets the page, programs get JSON",
        arguments: [
            (browser, true), ("text/html", true), ("text/html;q=0.9, application/json;q=0.5", true),
            ("*/*", false), ("", false), ("application/json", false), ("text/*", false),
            ("application/json, text/html;q=0.9", false), ("text/html, application/json", false),
            ("text/html;q=0", false), ("text/plain", false),
        ])
    func negotiated(accept: String, isPage: Bool) throws {
        let server = try HTTPTestServer()
        for method in ["GET", "HEAD"] {
            let headers = accept.isEmpty ? [] : ["Accept: \(accept)"]
            let response = try HTTPTestClient.get("/", port: server.port, method: method, headers: headers)
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == (isPage ? "text/html; charset=utf-8" : "application/json"))
            #expect(response.headers["vary"] == (isPage ? "Accept, Accept-Encoding" : "Accept"))
            #expect(response.bytes.isEmpty == (method == "HEAD"))
            #expect(response.headers["content-security-policy"] != nil || !isPage)
        }
    }

    @Test("the page may load and connect to nothing elsewhere, and is shown in no frame")
    func headers() throws {
        let server = try HTTPTestServer()
        let page = try HTTPTestClient.get("/", port: server.port, headers: ["Accept: \(Self.browser)"]).headers
        #expect(
            page["content-security-policy"]
                == """
                default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                base-uri 'none'; form-action 'none'; frame-ancestors 'none'
                """)
        #expect(page["x-content-type-options"] == "nosniff" && page["referrer-policy"] == "no-referrer")
        #expect(page["cross-origin-opener-policy"] == "same-origin")
        #expect(page["cross-origin-resource-policy"] == "same-origin" && page["cache-control"] == "no-cache")
    }

    @Test("every file of the folder Page is served, as it is, by its name")
    func files() throws {
        let server = try HTTPTestServer()
        var names: [String] = []
        let folder = try #require(opendir(Self.folder))
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        #expect(names.count >= 3)
        for name in names where name != "index.html" {
            let response = try HTTPTestClient.get("/page/\(name)", port: server.port)
            #expect(response.status == 200, "\(name) has no line in LivePage.files")
            #expect(response.bytes == Array(try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\(name)"))))
            let type = name.hasSuffix(".css") ? "text/css" : "text/javascript"
            #expect(response.headers["content-type"] == "\(type); charset=utf-8")
        }
    }

    @Test("a browser that has the file is told that it is the same; compressed files have tags of their own")
    func tags() throws {
        let server = try HTTPTestServer()
        func get(_ headers: [String]) throws -> HTTPTestClient.Response {
            try HTTPTestClient.get("/file", port: server.port, headers: headers)
        }
        let (plain, compressed) = (try get([]), try get(["Accept-Encoding: gzip"]))
        #expect(compressed.headers["content-encoding"] == "gzip" && compressed.bytes.count < plain.bytes.count)
        #expect(gunzip(compressed.bytes, count: plain.bytes.count) == plain.bytes)
        let tags = try [plain, compressed].map { try #require($0.headers["etag"]) }
        #expect(tags[0] != tags[1] && tags.allSatisfy { $0.hasPrefix("\"") && $0.hasSuffix("\"") })
        for asked in [tags[0], "W/\(tags[0])", "\"x\", \(tags[0])", "*"] {
            let same = try get(["If-None-Match: \(asked)"])
            #expect(same.status == 304 && same.bytes.isEmpty && same.headers["etag"] == tags[0])
        }
        #expect(try get(["If-None-Match: \(tags[1])"]).status == 200)
        #expect(try get(["If-None-Match: \(tags[1])", "Accept-Encoding: gzip"]).status == 304)
        #expect(try get(["If-None-Match: \"x\""]).status == 200)
    }
}
