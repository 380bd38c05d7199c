import Synchronization
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("Many scrapers at once") struct ConcurrentScrapes {
        private let rings = TemporaryRingDirectory()

        @Test("twenty scrapes at a time in different formats are all answered, and those of one snapshot agree")
        func agreement() throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(rings, ["--bots", "2", "--rate", "2000"])
            try daemon.latest(when: "bots at work") { $0.bot("demo2")?.totals.isEmpty == false }
            let port = daemon.port
            let accepts = ["text/plain", "application/openmetrics-text;version=1.0.0"]
            let pages = Mutex<[[UInt8]]>([])
            for _ in 0..<3 {
                let threads = (0..<20).map { number in
                    NativeThread {
                        let headers = ["Accept": accepts[number % 2]]
                        let response = try? HTTPClient.request("/metrics", port: port, headers: headers)
                        if let response, response.status == 200 { pages.withLock { $0.append(response.body) } }
                    }
                }
                for thread in threads { thread.join() }
            }
            let all = pages.withLock { $0 }
            #expect(all.count == 60)
            var bySnapshot: [String: [String: String]] = [:]
            for page in all {
                let values = Self.values(page)
                // The number of drain cycles tells the collector's snapshots apart.
                let snapshot = try #require(values["ringside_drain_cycle_seconds_count"])
                let known = bySnapshot[snapshot] ?? values
                #expect(known == values)
                bySnapshot[snapshot] = known
            }
            #expect(bySnapshot.count < 60)
            #expect(try demo.process.end() == .code(0))
        }

        /// Returns the values by series that both text forms have under the same name.
        private static func values(_ page: [UInt8]) -> [String: String] {
            var values: [String: String] = [:]
            for line in String(decoding: page, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
                let sample = line.split(separator: " # ")[0]
                guard let space = sample.lastIndex(of: " ") else { continue }
                let series = String(sample[..<space])
                let name = series.prefix { $0 != "{" }
                // Only OpenMetrics has times of creation. A histogram with negative values has its count in OpenMetrics
                // only in its last bucket.
                if name.hasSuffix("_created") || name.hasSuffix("_count") && !name.hasPrefix("ringside_") { continue }
                values[series] = String(sample[sample.index(after: space)...])
            }
            return values
        }
    }
}
