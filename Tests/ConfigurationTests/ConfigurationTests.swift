import Rules
import Series
import Testing

@testable import Configuration

/// What a file is answered with: the text of its error, or nil where it is good.
func complaint(_ text: String) -> String? {
    do throws(ConfigurationError) {
        _ = try Configuration(Array(text.utf8), file: "ringside.json5")
        return nil
    } catch {
        return error.description
    }
}

func configuration(_ text: String) throws -> Configuration {
    try Configuration(Array(text.utf8), file: "ringside.json5")
}

@Suite struct ConfigurationTests {
    @Test("an empty object is the default configuration")
    func empty() throws {
        #expect(try configuration("{}") == Configuration())
        #expect(try configuration("\u{FEFF}// nothing\n{ /* at\nall */ }\n") == Configuration())
    }

    @Test("bounds on bots and series, and ages after which bots are forgotten, are read within theirs")
    func limits() throws {
        let read = try configuration(
            "{ max_bots: 7, max_series_total: 9, forget_after: '2d', forget_removed_after: '90m' }"
        ).limits
        #expect(read.maximumBots == 7 && read.maximumSeriesTotal == 9)
        #expect(read.forgetAfterNanoseconds == 172_800_000_000_000)
        #expect(read.forgetRemovedAfterNanoseconds == 5_400_000_000_000)
        #expect(try configuration("{}").limits == BotLimits() && BotLimits().maximumBots >= 1000)
        for (key, values) in [
            "max_bots": ["0", "1.5", "100001", "-1", "'7'"], "max_series_total": ["0", "10000001", "null"],
            "forget_after": ["'0s'", "'999ms'", "'3651d'", "30", "'-1d'"], "forget_removed_after": ["'x'", "''"],
        ] {
            for value in values {
                #expect(complaint("{ \(key): \(value) }")?.contains(key) == true, "\(key): \(value)")
            }
        }
    }

    @Test("JSON5 is read in all its forms: comments, bare keys, single quotes, escapes, trailing commas, hexadecimal")
    func forms() throws {
        let text = """
            {
              // rings of one desk
              rings: { 'take': ["desk\\u0031-*",], leave: ['x\\
            y'] },
              quantiles: [.5, 9.9e-1, +0x1],
              "windows": ["5s", "1s", "2m", "1h"], /* sorted
              by length */
            }
            """
        let read = try configuration(text)
        #expect(read.rings == RingSelection(take: [Glob("desk1-*")], leave: [Glob("xy")]))
        #expect(read.quantiles == [0.5, 0.99, 1])
        #expect(read.windows.map(\.name) == ["1s", "5s", "2m", "1h"])
        #expect(read.windows.map(\.sliceNanoseconds) == [100_000_000, 500_000_000, 2_000_000_000, 60_000_000_000])
    }

    @Test("rules for what is shown are read whole")
    func metricRules() throws {
        let text = """
            { max_series: 500, metrics: [{ match: 'a_*', bot: 'x', drop_labels: ['shard', 'pod'], max_series: 20, rename: 'b' }] }
            """
        let rule = MetricRule(
            match: Glob("a_*"), bot: Glob("x"), rename: "b", dropLabels: ["shard", "pod"], maximumSeries: 20)
        #expect(try configuration(text).metricRules == MetricRules([rule], maximumSeries: 500))
        #expect(try configuration("{}").metricRules.isEmpty)
    }

    @Test("the standard windows are what their names are read as")
    func standardWindows() {
        #expect(WindowSpan.standard.map { WindowSpan($0.name) } == WindowSpan.standard)
    }

    @Test(
        "what is wrong is said with its line, its key and what was expected",
        arguments: [
            ("", "ringside.json5:1: expected a value, found the end of the file"),
            ("{\n  rings: {\n", "ringside.json5:3: rings: expected a key or '}', found the end of the file"),
            ("{\n  quantiles: [0.5\n  0.9]\n}", "ringside.json5:3: quantiles: expected ',' or ']', found '0'"),
            ("{ windows: ['1s }", "ringside.json5:1: windows[0]: expected the closing quote of the text"),
            ("{}\n}", "ringside.json5:2: expected the end of the file, found '}'"),
            ("{ /* ", "ringside.json5:1: expected '*/', the end of the comment"),
            ("[]", "ringside.json5:1: found a list, expected an object { … }"),
            (
                "{ quantiles: [yes] }",
                "ringside.json5:1: quantiles[0]: 'yes' is no value; expected a finite number, true, false or a text in quotes"
            ),
            (
                "{ quantiles: [NaN] }",
                "ringside.json5:1: quantiles[0]: 'NaN' is no value; expected a finite number, true, false or a text in quotes"
            ),
            (
                "{\n  quantiles: [0.5,\n 99],\n}",
                "ringside.json5:3: quantiles[1]: found 99, expected a number between 0 and 1, such as 0.99"
            ),
            ("{ quantiles: [] }", "ringside.json5:1: quantiles: expected at least one, and each once"),
            ("{ windows: ['1s', '1000ms'] }", "ringside.json5:1: windows: expected at least one length, and each once"),
            (
                "{\n\n  rings: { takes: [] } }",
                "ringside.json5:3: rings.takes: is no key here; expected one of leave, take"
            ),
            (
                "{\n  quantiles: [0.5],\n  rings: {},\n  'quantiles': [0.9] }",
                "ringside.json5:4: quantiles: stands twice, first in line 2; expected once"
            ),
            (
                "{ rings: { take: 'alpha' } }",
                "ringside.json5:1: rings.take: found \"alpha\", expected a list [ … ] of which each is a bot, a ring or a pattern "
                    + "with * and ?, in quotes"
            ),
            (
                "{ metrics: [{ match: 'x', drop: 1 }] }",
                """
                ringside.json5:1: metrics[0].drop: found 1, expected true or false
                ringside.json5:1: metrics[0].match: stands alone; expected drop, rename, add_labels, drop_labels, max_series or buckets beside it
                """
            ),
            (
                "{ max_series: 0, metrics: [{ match: 'x', max_series: 1.5 }] }",
                """
                ringside.json5:1: metrics[0].max_series: found 1.5, expected a whole number from 1 to 1000000
                ringside.json5:1: metrics[0].match: stands alone; expected drop, rename, add_labels, drop_labels, max_series or buckets beside it
                ringside.json5:1: max_series: found 0, expected a whole number from 1 to 1000000
                """
            ),
            (
                "{ metrics: [{ match: 'x', drop_labels: ['a', 'b c'], add_labels: { a: '1' } }] }",
                "ringside.json5:1: metrics[0].drop_labels[1]: found \"b c\", expected a label's name"
            ),
            (
                "{ metrics: [{ match: 'x', drop_labels: ['a'], add_labels: { a: '1' } }] }",
                "ringside.json5:1: metrics[0].drop_labels: has a, which add_labels sets; expected one or the other"
            ),
            (
                "{ metrics: [{ match: 'x', drop: true, max_series: 5 }] }",
                "ringside.json5:1: metrics[0].drop: is true beside rename, add_labels, drop_labels, max_series or buckets; expected one or the other"
            ),
            (
                "{ metrics: [{ drop: true }] }",
                "ringside.json5:1: metrics[0].match: is missing; expected the names that the rule is for"
            ),
            (
                "{ metrics: [\n{ match: 'x', add_labels: {'1a': 'x'} }] }",
                """
                ringside.json5:2: metrics[0].add_labels.1a: is no label name; expected letters, digits and _, no digit first
                ringside.json5:2: metrics[0].match: stands alone; expected drop, rename, add_labels, drop_labels, max_series or buckets beside it
                """
            ),
        ])
    func errors(text: String, expected: String) {
        #expect(complaint(text) == expected)
    }

    @Test("all problems of a file are said at once, in the order of their lines")
    func several() {
        let found = complaint("{\n colour: 1,\n windows: ['7x'],\n colour: 2,\n}")?.split(separator: "\n").map {
            $0.prefix(18)
        }
        #expect(found == ["ringside.json5:2: ", "ringside.json5:3: ", "ringside.json5:4: ", "ringside.json5:4: "])
    }

    @Test("no bytes at all make the reader trap, and what it takes from a damaged file it can take from nowhere else")
    func damage() throws {
        let good = Array(
            "{rings:{take:['a*'],leave:[]},windows:['1s'],quantiles:[.5],metrics:[{match:'x',drop:true}]}".utf8)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[place] = .random(in: 0...255, using: &random)
                } else {
                    bytes.remove(at: place)
                }
            }
            do throws(ConfigurationError) {
                let read = try Configuration(bytes, file: "x")
                #expect(!read.windows.isEmpty && !read.quantiles.isEmpty)
            } catch {
                #expect(!error.problems.isEmpty)
            }
        }
        for depth in [63, 64, 5_000] {
            let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(complaint(nested)?.contains("nested deeper than 64 levels") == (depth > 64))
        }
    }

    @Test("windows and quantiles need a restart, the rest does not")
    func restart() throws {
        let old = Configuration()
        #expect(old.needsRestart(for: try configuration("{rings: {leave: ['x']}}")).isEmpty)
        #expect(
            old.needsRestart(for: try configuration("{windows: ['1s'], quantiles: [0.5]}")) == ["windows", "quantiles"])
    }
}
