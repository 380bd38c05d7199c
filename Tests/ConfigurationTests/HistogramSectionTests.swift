import Rules
import Series
import Testing

@testable import Configuration

@Suite struct HistogramSectionTests {
    private func read(_ text: String) throws -> Configuration { try Configuration(Array(text.utf8), file: "x.json5") }

    private func complaint(_ text: String) -> String? {
        do throws(ConfigurationError) {
            _ = try Configuration(Array(text.utf8), file: "x.json5")
            return nil
        } catch {
            return error.description
        }
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

    @Test(
        "what is no edge, no schema and no limit is said",
        arguments: [
            ("{ metrics: [{ match: 'x', buckets: [] }] }", "expected 1 to 200 edges, each above the one before"),
            ("{ metrics: [{ match: 'x', buckets: [1, 1] }] }", "expected 1 to 200 edges, each above the one before"),
            ("{ metrics: [{ match: 'x', buckets: [2, 1] }] }", "expected 1 to 200 edges, each above the one before"),
            ("{ metrics: [{ match: 'x', buckets: ['fast'] }] }", "metrics[0].buckets[0]: found \"fast\""),
            ("{ metrics: [{ match: 'x', buckets: 5 }] }", "metrics[0].buckets: found 5, expected a list"),
            ("{ metrics: [{ match: 'x', buckets: [1], drop: true }] }", "expected one or the other"),
            ("{ native_histograms: { schema: 8 } }", "native_histograms.schema: found 8"),
            ("{ native_histograms: { schema: 1.5 } }", "native_histograms.schema: found 1.5"),
            ("{ native_histograms: { max_buckets: 0 } }", "native_histograms.max_buckets: found 0"),
            ("{ native_histograms: { limit: 1 } }", "native_histograms.limit: is no key here"),
            ("{ native_histograms: [] }", "native_histograms: found a list"),
        ])
    func wrong(text: String, message: String) throws {
        #expect(try #require(complaint(text)).contains(message))
    }
}
