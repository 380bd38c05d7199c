import Configuration
import Testing

@testable import LogImport

@Suite("A mapping of columns") struct ImportMappingTests {
    private func parse(_ text: String) throws(ConfigurationError) -> ImportMapping {
        try MappingFile.parse(Array(text.utf8), file: "map.json5")
    }

    private func problems(_ text: String) -> String {
        do throws(ConfigurationError) {
            _ = try parse(text)
            return ""
        } catch {
            return error.description
        }
    }

    @Test("sets for each column the instrument that it feeds")
    func whole() throws {
        let mapping = try parse(
            """
            {
              time: { column: "t", unit: "ms" }, delimiter: ";",
              columns: [
                { column: "fills", name: "my_fills_total", kind: "counter", help: "Fills.", labels: { venue: "X" } },
                { column: "fees", name: "my_fees_usd_total", kind: "counter", unit: "usd", values: "delta", fractional: true,
                  help: "Fees." },
                { column: "depth", name: "my_depth_ratio", kind: "gauge", unit: "ratio", divided_by: "limit", help: "Depth." },
                { column: "rtt_us", name: "my_rtt_seconds", kind: "histogram", unit: "seconds", scale: 1e-6, help: "RTT." },
              ],
            }
            """)
        #expect(mapping.time == ImportMapping.Time(column: "t", unit: .milliseconds))
        #expect(mapping.delimiter == UInt8(ascii: ";"))
        #expect(mapping.rules.map(\.form) == [.cumulative, .increments, .gauge, .samples])
        #expect(mapping.rules.map(\.isFractional) == [false, true, false, false])
        #expect(mapping.columns == ["t", "fills", "fees", "depth", "limit", "rtt_us"])
        #expect(mapping.rules[0].series == "my_fills_total{venue=\"X\"}")
        let rows = try RowReader(header: ["rtt_us", "limit", "depth", "fees", "fills", "t"], mapping: mapping)
        let problem = Array("250;8;2;0.25;7;1500".utf8).withUnsafeBytes { rows.read($0) }
        #expect(problem == nil)
        #expect(rows.timeNanoseconds == 1_500_000_000)
        #expect(rows.values[0].whole == 7)
        #expect(Array(rows.values.map(\.real).dropFirst()) == [0.25, 0.25, 250e-6])
    }

    @Test("all errors are reported at once, with line, key and what was expected")
    func wrong() {
        let text = problems(
            """
            {
              time: { column: "t", unit: "days" },
              colums: [],
              columns: [
                { column: "a", name: "a", kind: "counter", help: "A." },
                { column: "b", name: "b_total", kind: "meter", help: "B." },
                { column: "c", name: "c_ms", kind: "gauge", unit: "seconds", help: "C." },
                { name: "d", kind: "gauge", values: "delta", help: "D." },
                { column: "e", name: "d", kind: "gauge", help: "D.", scale: 0 },
              ],
            }
            """)
        let lines = text.split(separator: "\n").map(String.init)
        func has(_ beginning: String, _ part: String) -> Bool {
            lines.contains { $0.hasPrefix("map.json5:\(beginning): ") && $0.contains(part) }
        }
        #expect(has("2: time.unit", "found \"days\", expected \"ns\", \"us\", \"ms\" or \"s\""))
        #expect(
            has(
                "3: colums",
                "unknown key; did you mean `columns`? The keys known here are `columns`, `delimiter` and `time`"))
        #expect(has("5: columns[0].name", "_total"))
        #expect(has("6: columns[1].kind", "found \"meter\", expected \"counter\", \"gauge\" or \"histogram\""))
        #expect(has("7: columns[2].name", "_seconds"))
        #expect(has("8: columns[3].column", "is missing; expected the name of a column"))
        #expect(has("8: columns[3].values", "a gauge has no \"values\"; remove the key, which is for counters alone"))
        #expect(has("9: columns[4].scale", "expected a number that is not 0"))
        #expect(has("9: columns[4].name", "fed by two columns"))
    }

    @Test(
        "one mistake is one problem, and nothing is concluded from it",
        arguments: [
            ("kind: 'countr', values: 'delta'", "kind: found \"countr\", expected"),
            ("kid: 'counter', values: 'delta'", "kid: unknown key; did you mean `kind`?"),
            ("kind: 'counter', help: 7", "help: found 7, expected one sentence in quotes"),
            ("kind: 'counter', unit: 'secs'", "unit: found \"secs\", expected"),
            ("kind: 'counter', nam: 'c'", "nam: unknown key; did you mean `name`?"),
        ])
    func one(text: String, message: String) {
        let rest = [("column", "'a'"), ("name", "'a_total'"), ("help", "'A.'")]
            .filter { key, _ in !text.contains("\(key): ") && !(key == "name" && text.contains("nam:")) }
        let column = "{ \(rest.map { "\($0): \($1), " }.joined())\(text) }"
        let found = problems("{ columns: [\(column)] }").split(separator: "\n")
        #expect(found.count == 1 && found[0].hasPrefix("map.json5:1: columns[0].\(message)"), "\(found)")
    }

    @Test("a file that is not JSON5 is reported with its line")
    func noDocument() {
        #expect(problems("{\n columns: [}\n}").hasPrefix("map.json5:2: columns[0]: expected a value"))
        #expect(problems("{}") == "map.json5:1: columns: is missing; expected a list of columns and their instruments")
        #expect(
            problems("{ columns: [], delimiter: \"ab\" }").contains("delimiter: found \"ab\", expected one character"))
    }
}
