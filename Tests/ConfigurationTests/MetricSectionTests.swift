import Rules
import Testing

@testable import Configuration

@Suite struct MetricSectionTests {
    @Test("a rule that keeps, a rename and its scale are read as they are written")
    func reading() throws {
        let text = """
            { metrics: [
              { match: "market_data_*", bot: "mm-*", labels: { venue: "X" }, keep: true },
              { match: "a_seconds", rename: "b_us" }, { match: "c_usd", rename: "c_cents", scale: 100 },
              { match: "d_bytes", rename: "d_mb", scale: 1e-6 }, { match: "e_usd", rename: "e_us", scale: 1 },
              { match: "*_seconds", rename: "f_ms" }, { match: "g_ms", rename: "g_seconds" },
              { match: "h*", rename: "h_usd" },
            ] }
            """
        let rules = try configuration(text).metrics
        #expect(rules[0].keep && !rules[0].drop && rules[0].rename == nil && rules[0].labels.map(\.value) == ["X"])
        #expect(rules[1].rename == "b_us" && rules[1].scale == nil && !rules[1].keep)
        #expect(rules.map(\.scale) == [nil, nil, 100, 1e-6, 1, nil, nil, nil])
    }

    @Test(
        "a rule that cannot be right is refused with the remedy, as far as the file alone shows it",
        arguments: [
            (
                "match: 'a_usd', rename: 'a_us'",
                "rename: usd cannot be converted into us; add scale, or choose a name without _us"
            ),
            ("match: '*_bytes_total', rename: 'x_ms_total'", "rename: bytes cannot be converted into ms; add scale"),
            ("match: 'a_ratio', rename: 'a_usd'", "rename: ratio cannot be converted into usd"),
            (
                "match: 'a_bytes', rename: 'a_mb'",
                "rename: it is not known which unit _mb is; rename to _megabytes or _mebibytes, or add scale"
            ),
            ("match: 'a', scale: 2", "scale: the values would change under the same name; add rename"),
            ("match: 'a', rename: 'b', scale: 0", "scale: found 0, expected a number from 1e-18 to 1e18"),
            ("match: 'a', rename: 'b', scale: -1", "scale: found -1, expected a number from 1e-18 to 1e18"),
            ("match: 'a', rename: 'b', scale: 1e19", "expected a number from 1e-18 to 1e18, such as 1e6"),
            ("match: 'a', rename: 'b', scale: '1e6'", "scale: found"),
            (
                "match: 'a', keep: true, drop: true",
                "keep: the rule keeps and drops the same metrics; remove keep or drop"
            ),
            ("match: 'a', keep: true, rename: 'b'", "keep: a rule that keeps changes nothing; write rename, scale,"),
            ("match: 'a', keep: false", "the rule changes nothing; add drop: true, keep: true, or rename, scale,"),
            ("match: 'a', keep: 1", "keep: found"),
        ])
    func refusals(rule: String, message: String) throws {
        do {
            _ = try configuration("{ metrics: [{ \(rule) }] }")
            Issue.record("it was taken")
        } catch let error as ConfigurationError {
            #expect(error.problems.count == 1 && "\(error)".contains(message), "\(error)")
            #expect("\(error)".contains("metrics[0]"))
        }
    }
}
