import Rules
import Series
import Testing

@testable import Configuration

@Suite struct HistogramSectionTests {
    private func read(_ text: String) throws -> CollectorConfiguration {
        try CollectorConfiguration(Array(text.utf8), file: "x.json5")
    }

    @Test("edges are numbers in the unit of the histogram or durations, of the first rule that fits")
    func buckets() throws {
        let rules = try read(
            """
            { metrics: [
              { match: "x_*", bot: "a*", buckets: ["10us", "1ms", 0.05, "1m"] },
              { match: "y_usd", buckets: [-10, 0, 10], rename: "z_usd" },
              { match: "*", labels: { venue: "X" }, buckets: [1] },
            ] }
            """
        ).metrics
        #expect(rules.edges(of: "x_seconds", labels: [], bot: "alpha") == [0.00001, 0.001, 0.05, 60])
        #expect(rules.edges(of: "x_seconds", labels: [], bot: "beta") == nil)
        #expect(rules.edges(of: "y_usd", labels: [], bot: "beta") == [-10, 0, 10])
        #expect(rules.edges(of: "q", labels: [Label("venue", "X")], bot: "beta") == [1])
    }

    @Test("native histograms are schema 6 without a limit, or as the file says")
    func native() throws {
        #expect(try read("{}").nativeHistograms == NativeHistogramOptions(schema: 6, bucketLimit: nil))
        #expect(
            try read("{ native_histograms: { schema: -4, max_buckets: 160 } }").nativeHistograms
                == NativeHistogramOptions(schema: -4, bucketLimit: 160))
    }
}
