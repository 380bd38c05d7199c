import FoundationEssentials
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("What a collector serves") struct Endpoints {
        private let rings = TemporaryRingDirectory()

        private struct ServiceInformation: Decodable {
            let name: String
            let endpoints: [String]
        }

        private struct Health: Decodable {
            let status: String
            let bots: [Bot]

            struct Bot: Decodable {
                let bot: String
                let up: Bool
                let lost: UInt64
            }
        }

        @Test("every path that / lists answers, with and without a body; the history says why it has no answer")
        func paths() throws {
            let daemon = try Daemon(rings)
            let root = try JSONDecoder().decode(ServiceInformation.self, from: Data(daemon.get("/").body))
            #expect(root.name == "ringside")
            #expect(Set(root.endpoints).isSuperset(of: ["/metrics", "/latest", "/health", "/-/healthy", "/-/ready"]))
            // A stream has no end.
            let (asked, answering) = (
                "/stats/history", root.endpoints.filter { $0 != "/stats/history" && $0 != "/events" }
            )
            #expect(answering.count == root.endpoints.count - 2)
            // A collector without a port of its own keeps nothing, so it has no history.
            let question = try HTTPClient.request(asked, port: daemon.port)
            #expect(question.status == 404 && question.text.contains("no history is kept"), "\(question.text)")
            for path in answering + ["/"] {
                #expect(try daemon.get(path).body.isEmpty == false, "\(path)")
                let head = try HTTPClient.request(path, port: daemon.port, method: "HEAD")
                #expect(head.status == 200 && head.body.isEmpty, "\(path)")
                #expect(head.headers["content-length"].flatMap { Int($0) } ?? 0 > 0, "\(path)")
            }
        }

        @Test("an unknown path is 404, and an unknown method is 405")
        func refusals() throws {
            let daemon = try Daemon(rings)
            let missing = try HTTPClient.request("/metrcs", port: daemon.port)
            #expect(missing.status == 404)
            #expect(missing.text.contains("/metrics"))
            let deleted = try HTTPClient.request("/metrics", port: daemon.port, method: "DELETE")
            #expect(deleted.status == 405)
            #expect(deleted.headers["allow"] == "GET, HEAD")
        }

        @Test("health shows each bot")
        func health() throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(rings, ["--bots", "2", "--rate", "1000", "--duration", "0.2", "--linger", "600"])
            _ = try demo.report()
            try daemon.latest(when: "both bots") { $0.bots.count == 2 && $0.bots.allSatisfy(\.up) }
            let health = try JSONDecoder().decode(Health.self, from: Data(daemon.get("/health").body))
            #expect(health.status == "ok")
            #expect(health.bots.map(\.bot) == ["demo1", "demo2"])
            #expect(health.bots.allSatisfy { $0.up && $0.lost == 0 })
        }

        @Test("forty scrapers at once, under load, each see well-formed text in which nothing counted falls")
        func scrapers() throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(rings, ["--bots", "2", "--rate", "20000"])
            try daemon.latest(when: "records of both bots") {
                $0.bots.count == 2 && $0.bots.allSatisfy { ($0.rings.first?.drained ?? 0) > 0 }
            }
            let scrapes = try scrape(daemon.port, scrapers: 40, rounds: 3)
            #expect(scrapes.count == 40)
            let catalogue = Exposition.Catalogue()
            for rounds in scrapes {
                let counts = try rounds.map { try Exposition($0, catalogue).countedValues }
                for (earlier, later) in zip(counts, counts.dropFirst()) {
                    let fallen = earlier.filter { series, value in later[series].map { $0 < value } ?? true }
                    #expect(fallen.isEmpty)
                }
            }
            #expect(try demo.process.end() == .code(0))
        }

        /// Returns the bodies that each scraper got, one after the other. All scrapers ask at the same time.
        private func scrape(_ port: UInt16, scrapers: Int, rounds: Int) throws -> [[[UInt8]]] {
            let scrapes = ScrapeResults()
            let threads = (0..<scrapers).map { _ in
                NativeThread {
                    scrapes.add(
                        Result {
                            try (0..<rounds).map { _ in
                                let response = try HTTPClient.request("/metrics", port: port)
                                guard response.status == 200 else {
                                    throw Unexpected(description: "status \(response.status): \(response.text)")
                                }
                                return response.body
                            }
                        })
                }
            }
            threads.forEach { $0.join() }
            return try scrapes.all.map { try $0.get() }
        }

        /// The results of the scrapers' threads.
        private final class ScrapeResults: Sendable {
            private let results = Mutex<[Result<[[UInt8]], any Error>]>([])

            func add(_ result: Result<[[UInt8]], any Error>) { results.withLock { $0.append(result) } }

            var all: [Result<[[UInt8]], any Error>] { results.withLock { $0 } }
        }
    }
}
