import Rules
import Series
import Testing

@testable import Configuration

@Suite struct ConfigurationTests {
    @Test("an empty object is the default configuration")
    func empty() throws {
        #expect(try configuration("{}") == CollectorConfiguration())
        #expect(try configuration("\u{FEFF}// nothing\n{ /* at\nall */ }\n") == CollectorConfiguration())
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

    @Test("all problems of a file are reported at once, in the order of their lines")
    func several() {
        let found = complaint("{\n colour: 1,\n windows: ['7x'],\n colour: 2,\n}")?.split(separator: "\n").map {
            $0.prefix(18)
        }
        #expect(found == ["ringside.json5:2: ", "ringside.json5:3: ", "ringside.json5:4: ", "ringside.json5:4: "])
    }

    @Test("no bytes make the reader trap, and it reads nothing that is not in the damaged file")
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
                let read = try CollectorConfiguration(bytes, file: "x")
                #expect(!read.windows.isEmpty && !read.quantiles.isEmpty)
            } catch {
                #expect(!error.problems.isEmpty)
            }
        }
        for depth in [63, 64, 5_000] {
            let nested =
                "{a:" + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
            #expect(complaint(nested)?.contains("nested deeper than 64 levels") == (depth > 64))
        }
    }

    @Test("windows and quantiles need a restart, the rest does not")
    func restart() throws {
        let old = CollectorConfiguration()
        #expect(old.needsRestart(for: try configuration("{rings: {leave: ['x']}}")).isEmpty)
        #expect(
            old.needsRestart(for: try configuration("{windows: ['1s'], quantiles: [0.5]}")) == ["windows", "quantiles"])
    }
}
