import Testing

private struct Report: Decodable {
    struct Point: Decodable {
        let format: String
        let series, bytes, rounds: Int
        let scrape_ms, scrape_least_ms, scrape_greatest_ms, snapshot_ms, render_ms: Double
    }
    let host: HostFields
    let points: [Point]
}

extension Bench {
    @Suite struct Scrape {
        @Test(
            "scrape gives the time of a snapshot and of its writing, and the bytes, for each format and number of series"
        )
        func points() throws {
            let report = try Bench.quick(["scrape"], as: Report.self)
            let formats: Set = ["text", "openmetrics", "protobuf", "latest", "line", "otlp", "remote_write"]
            #expect(Set(report.points.map(\.format)) == formats && report.points.count == 14)
            for point in report.points {
                #expect(point.rounds == 3 && point.snapshot_ms > 0 && point.render_ms > 0)
                #expect(point.scrape_least_ms <= point.scrape_ms && point.scrape_ms <= point.scrape_greatest_ms)
                // The text of a series is at least as long as its quantiles, or a third of that if it is compressed.
                #expect(point.bytes > (point.format == "remote_write" ? 100 : 300) * point.series)
            }
            let text = report.points.filter { $0.format == "text" }.sorted { $0.series < $1.series }
            #expect(text.map(\.series) == [100, 1000])
            #expect(text[1].bytes > 9 * text[0].bytes)
        }
    }
}
