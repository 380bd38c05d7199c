import Rules
import Series
import Testing

@testable import Configuration

/// Tests every kind of mistake, with the message for the operator.
@Suite("Messages about a file") struct MessageTests {
    private static func destination(_ text: String) -> String { "{ webhooks: [{ url: 'http://x', \(text) }] }" }
    private static func alert(_ text: String) -> String {
        "{ alerts: [{ name: 'x', severity: 'P0', instrument: 'y', threshold: 1, \(text) }] }"
    }
    private static func export(_ text: String) -> String { "{ exports: { \(text) } }" }

    private static let rootKeys = """
        `alertmanagers`, `alerts`, `exports`, `forget_after`, `forget_removed_after`, `max_bots`, `max_series`, \
        `max_series_total`, `metrics`, `native_histograms`, `objectives`, `quantiles`, `rings`, `standard_alerts`, \
        `standard_objectives`, `unusual_level_alerts`, `webhooks` and `windows`
        """
    private static let fields = """
        id, status, alert, severity, bot, condition, value, labels, summary, description, runbook, startsAt, endsAt, \
        startsAtUnix, unknownSince, reason and url
        """
    private static let durations = "a duration such as \"5ms\", \"10s\" or \"1h\""
    private static let units = "; the units are ns, us, ms, s, m, h and d"
    private static let addresses = "an address such as \"http://127.0.0.1:9093\", without a user in it"

    private func expect(_ found: String?, _ expected: String) {
        #expect(found == expected.split(separator: "\n").map { "f:\($0)" }.joined(separator: "\n"))
    }

    private func complaint(_ text: String) -> String? {
        do throws(ConfigurationError) {
            _ = try CollectorConfiguration(Array(text.utf8), file: "f")
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "a file that is not JSON5 at all is reported in one line",
        arguments: [
            ("", "1: the file is empty; expected at least {}"),
            ("\u{FEFF} \n\t\r\n", "1: the file is empty; expected at least {}"),
            ("// a comment\n", "2: expected `{`, found the end of the file"),
            ("rings:\n  take: ['*']\n", "1: expected `{`: the file is JSON5, not YAML"),
            ("rings: { take: ['*'] }", "1: expected `{`: the file is JSON5, not YAML"),
            ("---\nrings:\n", "1: expected `{`: the file is JSON5, not YAML"),
            ("- rings\n", "1: expected `{`: the file is JSON5, not YAML"),
            ("# rings\n\nmax-bots: 5", "1: expected `{`: the file is JSON5, not YAML"),
            ("[rings]\ntake = ['*']\n", "1: expected `{`: the file is JSON5, not TOML or INI"),
            ("[[exports.influxdb]] # one\n", "1: expected `{`: the file is JSON5, not TOML or INI"),
            ("; rings\nmax_bots=5", "1: expected `{`: the file is JSON5, not TOML or INI"),
            ("max_bots = 5\n", "1: expected `{`: the file is JSON5, not TOML or INI"),
            ("<rings/>", "1: expected `{`: the file is JSON5, not XML"),
            ("\n[1, 2]", "2: expected `{`, found '['"),
            ("\"rings\"", "1: expected `{`, found '\"'"),
            ("hello", "1: expected `{`, found 'h'"),
        ])
    func otherFormats(text: String, expected: String) {
        expect(complaint(text), expected)
    }

    @Test(
        "a file that is not text in UTF-8 is reported in one line",
        arguments: [
            ([0x7B, 0x00, 0x7D], "1: the file is binary; expected a text in JSON5"),
            ([0x1F, 0x8B, 0x08, 0x00], "1: the file is binary; expected a text in JSON5"),
            ([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], "1: the file is a text in UTF-16; save it as UTF-8"),
            (
                Array("{\n rings: {} // ".utf8) + [0xE9, 0x0A, 0x7D],
                "2: byte 0xE9 is not UTF-8; save the file as UTF-8"
            ),
            (Array("{}\n//\u{E9}\u{1F600}".utf8) + [0xC3], "2: byte 0xC3 is not UTF-8; save the file as UTF-8"),
        ] as [([UInt8], String)])
    func otherBytes(bytes: [UInt8], expected: String) {
        let error = #expect(throws: ConfigurationError.self) { try CollectorConfiguration(bytes, file: "f") }
        expect(error?.description, expected)
    }

    @Test(
        "a syntax error is reported with its line and what was expected",
        arguments: [
            ("{\n  rings: {\n", "3: rings: expected a key or '}', found the end of the file"),
            ("{\n  quantiles: [0.5\n  0.9]\n}", "3: quantiles: expected ',' or ']', found '0'"),
            ("{ max_bots 5 }", "1: max_bots: expected ':' after the key, found '5'"),
            ("{ max_bots = 5 }", "1: max_bots: expected ':' after the key, found '='"),
            ("{ windows: ['1s }", "1: windows[0]: expected the closing quote of the text"),
            (
                "{ windows: ['\\x'] }",
                "1: windows[0]: the text has an escape that JSON5 does not have; write \\\\ for a backslash"
            ),
            ("{}\n}", "2: expected the end of the file, found '}'"),
            ("{ /* ", "1: expected '*/', the end of the comment"),
            ("{ max_bots: /5 }", "1: max_bots: expected a value or a comment, found '/'"),
            ("{ max_bots: }", "1: max_bots: expected a value, found '}'"),
            ("{ quantiles: [NaN] }", "1: quantiles[0]: 'NaN' is not a finite number; expected one"),
            (
                "{ forget_after: 10s, max_bots: 5% }",
                """
                1: forget_after: '10s' is not a value; put a text into quotes: "10s"
                1: max_bots: '5%' is not a value; write a number of digits alone, or put a text into quotes: "5%"
                """
            ),
            (
                "{ standard_alerts: no }",
                "1: standard_alerts: 'no' is not a value; write false, or put a text into quotes: \"no\""
            ),
            (
                "{ standard_alerts: True }",
                "1: standard_alerts: 'True' is not a value; write true, or put a text into quotes: \"True\""
            ),
            (
                "{ webhooks: [{ url: http://u:p@h/secret }] }",
                "1: webhooks[0].url: 'http://***@h/…' is not a value; put a text into quotes: \"http://***@h/…\""
            ),
            (
                destination("bearer_token: s3cret"),
                "1: webhooks[0].bearer_token: this is not a value; put a text into quotes"
            ),
            (
                "{\n  quantiles: [0.5],\n  rings: {},\n  'quantiles': [0.9] }",
                "4: quantiles: the key is given twice, first in line 2; remove one of the two"
            ),
        ])
    func syntax(text: String, expected: String) {
        expect(complaint(text), expected)
    }

    @Test(
        "an unknown key names the nearest one and all that are known, and a missing key what it is for",
        arguments: [
            (
                "{\n\n  rings: { takes: [] } }",
                "3: rings.takes: unknown key; did you mean `take`? The keys known here are `leave` and `take`"
            ),
            (
                "{ rings: { 'other one': [] } }",
                "1: rings.other one: unknown key; the keys known here are `leave` and `take`"
            ),
            (
                "{ window: ['1s'] }",
                "1: window: unknown key; did you mean `windows`? The keys known here are \(rootKeys)"
            ),
            ("{ influxdb: [] }", "1: influxdb: unknown key; the keys known here are \(rootKeys)"),
            (
                "{ objectives: [\n{}] }",
                """
                2: objectives[0].name: is missing; expected a unique name
                2: objectives[0].target: is missing; expected the share of good events, such as 0.99
                2: objectives[0].instrument: is missing; expected the name of a histogram, or availability: true instead of it
                2: objectives[0].threshold: is missing; expected a number in the instrument's unit, or \(durations)
                """
            ),
            (
                "{ alerts: [{ threshold: 1 }] }",
                """
                1: alerts[0].name: is missing; expected a unique name
                1: alerts[0].severity: is missing; expected a word such as "P1"
                1: alerts[0].instrument: is missing; expected a registered name
                """
            ),
            (
                alert("statistic: 'ratio'"),
                "1: alerts[0].divided_by: is missing; expected the name of what a ratio divides by"
            ),
            (
                "{ metrics: [{ drop: true }] }",
                "1: metrics[0].match: is missing; expected the metrics' name, or a pattern with * and ?"
            ),
            ("{ webhooks: [{}] }", "1: webhooks[0].url: is missing; expected \(addresses)"),
            (
                destination("basic_auth: { password: 'p' }"),
                "1: webhooks[0].basic_auth.user: is missing; expected a name in quotes"
            ),
            (
                destination("basic_auth: { user: 'u' }"),
                "1: webhooks[0].basic_auth.password: is missing; expected a text in quotes, or password_file with the name of a file"
            ),
            (
                export("influxdb: [{ url: 'http://x' }]"),
                "1: exports.influxdb[0].database: is missing; expected a database's name (InfluxDB 1.x), or bucket and org instead (2.x)"
            ),
            (
                export("influxdb: [{ url: 'http://x', bucket: 'b' }]"),
                "1: exports.influxdb[0].org: is missing; expected an organization's name or id beside the bucket"
            ),
        ])
    func keys(text: String, expected: String) {
        expect(complaint(text), expected)
    }

    @Test(
        "a rule that can never fire, or has an impossible name, is reported with the reason and the remedy",
        arguments: [
            (
                "instrument: 'ringside_upp', threshold: 0",
                "instrument: the collector has no series ringside_upp, and no bot may register it; did you mean ringside_up?"
            ),
            (
                "instrument: 'process_nothing', threshold: 0",
                "instrument: the collector has no series process_nothing, and no bot may register it; see the names that /metrics shows"
            ),
            (
                "instrument: 'ringside_up', threshold: 1",
                "threshold: it can never fire: ringside_up is never more than 1; choose a threshold that it can pass"
            ),
            (
                "instrument: 'ringside_lane_down', compare: '<', threshold: 0",
                "threshold: it can never fire: ringside_lane_down is never less than 0; choose a threshold that it can pass"
            ),
            (
                "instrument: 'orders_rejected_total', statistic: 'p99', threshold: 1",
                "statistic: it can never fire: orders_rejected_total is a counter, which has no quantiles; use \"rate\" or \"increase\""
            ),
            (
                "instrument: 'exposure_usd', threshold: '2ms'",
                "threshold: exposure_usd is in usd, and the threshold is a duration; write a number of usd"
            ),
            (
                "instrument: 'mine_total', statistic: 'rate', compare: '<', threshold: 0",
                "threshold: it can never fire: increase per second of mine_total over 1m is never less than 0; choose a threshold that it can pass"
            ),
            (
                "instrument: 'orders_submit_to_ack_latency_seconds', threshold: 1",
                "statistic: it can never fire: orders_submit_to_ack_latency_seconds is a histogram, which has no value; use a quantile such as \"p99\", \"rate\" or \"increase\""
            ),
            (
                "instrument: 'a_total', statistic: 'ratio', divided_by: 'queue_backlog_depth', threshold: 1",
                "divided_by: it can never fire: queue_backlog_depth is a gauge, which has no increase; use \"value\" or \"growth\""
            ),
            (
                "instrument: 'a_total', statistic: 'ratio', divided_by: 'ringside_nothing_total', threshold: 1",
                "divided_by: the collector has no series ringside_nothing_total, and no bot may register it; see the names that /metrics shows"
            ),
            (
                "instrument: 'x', statistic: 'absent', threshold: 1",
                "threshold: the statistic \"absent\" has no threshold; remove the key"
            ),
            (
                "instrument: 'x', stale_for: '1m', compare: '<'",
                "compare: an alert with stale_for has no compare; remove the key"
            ),
            (
                "instrument: 'x', coverage: 0.5, threshold: 1",
                "coverage: only quantiles and the statistics \"increase\", \"rate\" and \"ratio\" have a coverage; remove the key"
            ),
            (
                "instrument: 'x', threshold: Infinity",
                "threshold: 'Infinity' is not a finite number; expected one"
            ),
        ])
    func impossible(text: String, expected: String) {
        expect(complaint("{ alerts: [{ name: 'x', severity: 'P0', \(text) }] }"), "1: alerts[0].\(expected)")
    }

    @Test("an objective on a metric that is not a histogram can never be violated, and the error says so")
    func impossibleObjective() {
        expect(
            complaint("{ objectives: [{ name: 'x', instrument: 'a_total', threshold: 1, target: 0.9 }] }"),
            "1: objectives[0].instrument: it can never be violated: a_total is a counter; an objective needs a histogram"
        )
    }

    @Test("a metric that only a bot could know is a warning, with the nearest name of the catalogue")
    func warnings() throws {
        let text = """
            { alerts: [
              { name: "a", severity: "P0", instrument: "orders_submit_to_ack_latency_second", statistic: "p99", threshold: 1 },
              { name: "b", severity: "P0", instrument: "orders_rejected_total", statistic: "ratio", divided_by: "mine_total",
                threshold: 1 },
              { name: "c", severity: "P0", instrument: "orders_submit_to_ack_latency_seconds_calls_total", statistic: "rate",
                threshold: 1 }],
              objectives: [{ name: "o", instrument: "mine_seconds", threshold: 1, target: 0.9 }] }
            """
        let read = try configuration(text)
        let waits = "waits for the metric"
        #expect(
            read.warnings.map { $0.description(file: "f") } == [
                "f:2: alerts[0].instrument: \(waits) orders_submit_to_ack_latency_second, which is not in the catalogue; "
                    + "did you mean orders_submit_to_ack_latency_seconds?",
                "f:3: alerts[1].divided_by: \(waits) mine_total, which is not in the catalogue",
                "f:7: objectives[0].instrument: \(waits) mine_seconds, which is not in the catalogue",
            ])
        #expect(
            read.waiting.all.map(\.metric) == ["mine_seconds", "orders_submit_to_ack_latency_second", "mine_total"])
        #expect(try configuration("{}").warnings.isEmpty && CollectorConfiguration().waiting.all.isEmpty)
    }

    @Test("no ready-made rule waits for a name or can never fire")
    func readyMade() {
        for alert in AlertDefinition.standard {
            let facts = alert.instruments.map { KnownSeries.facts(of: $0) }
            #expect(!facts.contains(nil), "\(alert.name)")
            #expect(alert.impossibility(facts[0], divisor: facts.count > 1 ? facts[1] : nil) == nil, "\(alert.name)")
        }
        for objective in ObjectiveDefinition.standard {
            let facts = objective.rule.map { KnownSeries.facts(of: $0.instrument) }
            #expect(facts != .some(nil) && objective.impossibility(facts ?? nil) == nil, "\(objective.name)")
        }
    }

    @Test(
        "a value that is not allowed is shown beside what was expected, with units and bounds",
        arguments: [
            ("{ rings: 7 }", "1: rings: found a number, expected an object { … }"),
            ("{ metrics: {} }", "1: metrics: found an object, expected a list [ … ] of objects { … }"),
            ("{ metrics: [7] }", "1: metrics[0]: found a number, expected an object { … }"),
            (
                "{ rings: { take: 'alpha' } }",
                "1: rings.take: found \"alpha\", expected a list [ … ] of which each entry is a bot, a ring or a pattern with * and ?, in quotes"
            ),
            (
                "{\n  quantiles: [0.5,\n 99],\n}",
                "3: quantiles[1]: found 99, expected a number from 0 to 1, such as 0.99"
            ),
            (
                "{ windows: ['7x', '90s'] }",
                """
                1: windows[0]: found "7x", expected a duration such as "5m": whole seconds below a minute, whole minutes from there to 60m
                1: windows[1]: found "90s", expected a duration such as "5m": whole seconds below a minute, whole minutes from there to 60m
                """
            ),
            ("{ max_bots: 1.5 }", "1: max_bots: found 1.5, expected a whole number from 1 to 100000"),
            ("{ max_bots: '5' }", "1: max_bots: found \"5\", expected a whole number from 1 to 100000, without quotes"),
            (
                "{ standard_alerts: 'true' }",
                "1: standard_alerts: found \"true\", expected true or false, without quotes"
            ),
            (
                "{ forget_after: '4000d' }",
                "1: forget_after: found \"4000d\", expected a duration such as \"10s\", from 1s to 3650d"
            ),
            (
                "{ forget_after: 30 }",
                "1: forget_after: found 30, expected a duration such as \"10s\", from 1s to 3650d\(units)"
            ),
            (
                "{ forget_after: '2 weeks' }",
                "1: forget_after: found \"2 weeks\", expected a duration such as \"10s\", from 1s to 3650d\(units)"
            ),
            (
                "{ native_histograms: { schema: 8 } }",
                "1: native_histograms.schema: found 8, expected a whole number from -4 to 7"
            ),
            (
                "{ metrics: [{ match: 'x', buckets: ['fast'] }] }",
                "1: metrics[0].buckets[0]: found \"fast\", expected a finite number in the histogram's unit, or \(durations)"
            ),
            (
                "{ metrics: [{ match: 'x', rename: 'a-b' }] }",
                "1: metrics[0].rename: found \"a-b\", expected a metric's name: letters, digits and _, and no digit at its beginning"
            ),
            (
                "{ metrics: [{ match: 'x', drop_labels: ['a', 'b c'] }] }",
                "1: metrics[0].drop_labels[1]: found \"b c\", expected a label's name in quotes"
            ),
            (
                "{ metrics: [\n{ match: 'x', add_labels: {'1a': 'x', b: 7} }] }",
                """
                2: metrics[0].add_labels.1a: "1a" is not a label's name; expected letters, digits and _, and no digit at its beginning
                2: metrics[0].add_labels.b: found 7, expected a text in quotes
                """
            ),
            (
                "{ metrics: [{ match: 'x', drop: true, labels: 'a' }] }",
                "1: metrics[0].labels: found \"a\", expected labels { name: \"value\", … }"
            ),
            (
                "{ objectives: [{ name: 'x', instrument: 'y', threshold: '5 ms', target: 1, windows: ['7m10s'] }] }",
                """
                1: objectives[0].target: found 1, expected a share above 0 and below 1, such as 0.99
                1: objectives[0].windows[0]: found "7m10s", expected a duration such as "5m": whole seconds up to 5m, whole minutes up to 6h, or whole hours up to 30d
                1: objectives[0].threshold: found "5 ms", expected a number in the instrument's unit, or \(durations)
                """
            ),
            (
                alert("for: '1500ms'"),
                "1: alerts[0].for: found \"1500ms\", expected a duration of whole seconds such as \"10s\", 0s or longer"
            ),
            (alert("minimum_events: 0"), "1: alerts[0].minimum_events: found 0, expected a number, 1 or more"),
            ("{ webhooks: [\n{ url: 'ftp://x' }] }", "2: webhooks[0].url: found \"ftp://x\", expected \(addresses)"),
            (
                "{ webhooks: [{ url: 'http://u:p@x/y' }] }",
                "1: webhooks[0].url: found \"http://***@x/…\", expected \(addresses)"
            ),
            (
                destination("bots: 7"),
                "1: webhooks[0].bots: found 7, expected a name or a pattern with * and ?, in quotes, or a list of them"
            ),
            (
                destination("timeout: '1h'"),
                "1: webhooks[0].timeout: found \"1h\", expected a duration such as \"10s\", from 10ms to 10m"
            ),
            (
                destination("queue: { max_bytes: 1 }"),
                "1: webhooks[0].queue.max_bytes: found 1, expected a whole number of bytes from 4096 to 100000000000"
            ),
            (
                destination("queue: { max_age: '1ms' }"),
                "1: webhooks[0].queue.max_age: found \"1ms\", expected a duration such as \"10s\", 1s or longer"
            ),
            (
                destination("headers: 'X: s3cret'"),
                "1: webhooks[0].headers: found a text, expected headers { \"X-Name\": \"value\", … }"
            ),
            (
                destination("headers: { 'a b': 'c' }"),
                "1: webhooks[0].headers.a b: \"a b\" is not a header's name; expected letters, digits, - and _"
            ),
            (
                destination("headers: { a: 's3\\ncret' }"),
                "1: webhooks[0].headers.a: expected a text in quotes without line ends"
            ),
            (
                destination("bearer_token: 7"),
                "1: webhooks[0].bearer_token: expected a text in quotes that is not empty"
            ),
            (
                destination("basic_auth: 'u:s3cret'"),
                "1: webhooks[0].basic_auth: found a text, expected an object { … }"
            ),
            (
                "{ alertmanagers: [{ url: 'http://x', interval: '1500ms' }] }",
                "1: alertmanagers[0].interval: found \"1500ms\", expected a duration of whole seconds such as \"10s\", from 1s to 1h"
            ),
            (
                export("influxdb: [{ url: 'localhost:8086', database: 'd', interval: '10s' }]"),
                "1: exports.influxdb[0].url: found \"localhost:8086\", expected \(addresses)"
            ),
            (
                export("otlp: [{ url: 'http://o', scale: 9 }]"),
                "1: exports.otlp[0].scale: found 9, expected a whole number from -4 to 7"
            ),
            (
                export("remote_write: [{ url: 'http://p', batch_series: 0.5 }]"),
                "1: exports.remote_write[0].batch_series: found 0.5, expected a whole number from 1 to 100000"
            ),
        ])
    func values(text: String, expected: String) {
        expect(complaint(text), expected)
    }

    @Test(
        "a misspelt word of a few names the nearest one",
        arguments: [
            (
                alert("statistic: 'ratoi'"),
                "1: alerts[0].statistic: found \"ratoi\", expected \"value\", \"increase\", \"rate\", \"ratio\", \"growth\", \"rate_to_median\", \"age\" or \"absent\", or a quantile such as \"p99\"; did you mean \"ratio\"?"
            ),
            (
                alert("statistic: 'mean'"),
                "1: alerts[0].statistic: found \"mean\", expected \"value\", \"increase\", \"rate\", \"ratio\", \"growth\", \"rate_to_median\", \"age\" or \"absent\", or a quantile such as \"p99\""
            ),
            (alert("compare: '='"), "1: alerts[0].compare: found \"=\", expected \">\", \">=\", \"<\" or \"<=\""),
            (
                export("otlp: [{ url: 'http://o', send: ['trace'] }]"),
                "1: exports.otlp[0].send[0]: found \"trace\", expected \"metrics\" or \"traces\"; did you mean \"traces\"?"
            ),
            (
                export("otlp: [{ url: 'http://o', max_buckets: 'non' }]"),
                "1: exports.otlp[0].max_buckets: found \"non\", expected a whole number from 2 to 100000, or \"none\"; did you mean \"none\"?"
            ),
            (
                export("remote_write: [{ url: 'http://p', histograms: 'clasic' }]"),
                "1: exports.remote_write[0].histograms: found \"clasic\", expected \"native\", \"native_float\", \"classic\" or \"both\"; did you mean \"classic\"?"
            ),
            (
                destination("\n body: '{\"a\": \"{{alret}}\"}'"),
                "2: webhooks[0].body: {{alret}} is not a known name; did you mean {{alert}}? The names known here are \(fields)"
            ),
            (
                destination("body: '{{nonsense}}'"),
                "1: webhooks[0].body: {{nonsense}} is not a known name; the names known here are \(fields)"
            ),
        ])
    func names(text: String, expected: String) {
        expect(complaint(text), expected)
    }

    @Test(
        "values that conflict are reported with what to change",
        arguments: [
            (alert("statistic: 'p98'"), "1: alerts[0].statistic: p98 is not computed; add 0.98 to `quantiles`"),
            (
                alert("statistic: 'p99', window: '5m'"),
                "1: alerts[0].window: quantiles over \"5m\" are not computed; add \"5m\" to `windows`, or choose \"1s\", \"5s\" or \"1m\""
            ),
            (
                alert("statistic: 'p99', window: '60s'"),
                "1: alerts[0].window: quantiles over \"60s\" are not computed; write \"1m\", as in `windows`"
            ),
            (
                alert("statistic: 'p99', window: '2h'"),
                "1: alerts[0].window: quantiles over \"2h\" are not computed; choose \"1s\", \"5s\" or \"1m\""
            ),
            (
                alert("statistic: 'rate', divided_by: 'z'"),
                "1: alerts[0].divided_by: only the statistics \"ratio\" and \"value\" have a divisor; remove the key"
            ),
            (
                "{ quantiles: [] }",
                "1: quantiles: the list is empty; add at least one entry, or remove the key for the default"
            ),
            ("{ quantiles: [0.5, .5] }", "1: quantiles: 0.5 is listed twice; remove one of the two"),
            ("{ windows: ['1s', '1000ms'] }", "1: windows: \"1s\" and \"1000ms\" are the same; remove one of the two"),
            (
                "{ metrics: [{ match: 'x', drop: false }] }",
                "1: metrics[0]: the rule changes nothing; add drop: true, keep: true, or rename, scale, add_labels, drop_labels, max_series or buckets"
            ),
            (
                "{ metrics: [{ match: 'x', drop: true, max_series: 5 }] }",
                "1: metrics[0].drop: a metric that is dropped cannot be changed too; remove drop, or rename, scale, add_labels, drop_labels, max_series and buckets"
            ),
            (
                "{ metrics: [{ match: 'x', add_labels: { le: '1' } }] }",
                "1: metrics[0].add_labels: the exports set the label le themselves; choose another name"
            ),
            (
                "{ metrics: [{ match: 'x', drop_labels: ['a'], add_labels: { a: '1' } }] }",
                "1: metrics[0].drop_labels: the label a is set by add_labels; remove it from one of the two"
            ),
            (
                "{ metrics: [{ match: 'x', buckets: [] }] }",
                "1: metrics[0].buckets: the list has 0 edges, expected 1 to 200"
            ),
            (
                "{ metrics: [{ match: 'x', buckets: [1, 3, 3] }] }",
                "1: metrics[0].buckets: entry [2] is not above the one before it; sort the edges and give each once"
            ),
            (
                "{ objectives: [{ name: 'x', availability: true, target: .9, threshold: 1 }] }",
                "1: objectives[0].threshold: an objective of availability has no threshold; remove one of the two"
            ),
            (
                "{ objectives: [{ name: 'x', availability: true, target: .9 },\n{ name: 'x', availability: true, target: .9 }] }",
                "2: objectives[1].name: \"x\" is the name of the objective in line 1 too; choose another name"
            ),
            (
                "{ webhooks: [{ url: 'http://x' },\n { url: 'http://x' }] }",
                "2: webhooks[1].name: \"webhook x\" is the name of another destination too; give this one a name of its own"
            ),
            (
                export(
                    "otlp: [{ name: 'x', url: 'http://o', send: ['metrics', 'traces'] }, { name: 'x traces', url: 'http://o' }]"
                ),
                "1: exports.otlp[1].name: \"x traces\" is the name of another destination too; give this one a name of its own"
            ),
            (
                destination("bearer_token: 'a', bearer_token_file: 'b'"),
                "1: webhooks[0].bearer_token: bearer_token_file is given too; remove one of the two"
            ),
            (
                destination("bearer_token: 'a', basic_auth: { user: 'u', password: 'p' }"),
                "1: webhooks[0].basic_auth: a bearer token is given too; remove one of the two"
            ),
            (
                destination("body: '{{alert'"),
                "1: webhooks[0].body: a name that begins with {{ has no }} at its end; add it"
            ),
            (
                destination("body: '{\"a\": {{alert}}}'"),
                "1: webhooks[0].body: the text is not JSON once it is filled in; put quotes around each name but {{value}}, {{labels}} and {{startsAtUnix}}, or set content_type"
            ),
            (
                export("influxdb: [{ url: 'http://x', database: 'd', bucket: 'b' }]"),
                "1: exports.influxdb[0].database: InfluxDB 1.x has a database, 2.x a bucket and an org; remove database, or bucket and org"
            ),
            (
                export("influxdb: [{ url: 'http://x', org: 'o', bucket: 'b', retention_policy: 'p' }]"),
                "1: exports.influxdb[0].retention_policy: a bucket has no retention policy; remove the key"
            ),
            (
                export("influxdb: [{ url: 'http://x', database: 'd', token: 't', bearer_token: 'b' }]"),
                "1: exports.influxdb[0].token: basic_auth or a bearer token is given too; remove one of the two"
            ),
            (
                export("otlp: [{ url: 'http://o', send: [] }]"),
                "1: exports.otlp[0].send: the list is empty; expected \"metrics\", \"traces\" or both"
            ),
        ])
    func combinations(text: String, expected: String) {
        expect(complaint(text), expected)
    }

    @Test(
        "the server's file is reported on in the same way, and no secret is repeated",
        arguments: [
            (
                "{\n basic_auth_users: { ann: 'secret' } }",
                "2: basic_auth_users.ann: this is not the hash of a password; expected what `mkpasswd` or `htpasswd -nB` prints, such as $y$… or $2y$…"
            ),
            (
                "{ basic_auth_users: { 'a:b': '$y$' } }",
                "1: basic_auth_users.a:b: a user's name is not empty and has no colon; choose another name"
            ),
            (
                "{ basic_auth_users: 's3cret' }",
                "1: basic_auth_users: found a text, expected users { name: \"hash\", … }"
            ),
            (
                "{ tls_server_config: { cert_file: 'a' } }",
                "1: tls_server_config.key_file: is missing; expected a PEM file with the certificate's key"
            ),
            (
                "{ limits: { connections: 0 } }",
                "1: limits.connections: found 0, expected a whole number from 1 to 10000"
            ),
            (
                "{ limits: { requests_per_second: 0 } }",
                "1: limits.requests_per_second: found 0, expected a number above 0, and 1000000 at most"
            ),
            (
                "{ limits: { request_timeout: '2h' } }",
                "1: limits.request_timeout: found \"2h\", expected a duration such as \"10s\", from 100ms to 1m"
            ),
            (
                "{ auth_excluded_paths: ['healthy'] }",
                "1: auth_excluded_paths[0]: found \"healthy\", expected a path such as \"/-/healthy\""
            ),
            (
                "{ allowed_hosts: ['https://trader.example'] }",
                "1: allowed_hosts[0]: found \"https://trader.example\", expected a host's name such as \"trader.example\", without scheme and port"
            ),
            (
                "{ tls: {} }",
                "1: tls: unknown key; the keys known here are `allowed_hosts`, `auth_excluded_paths`, `basic_auth_users`, `bearer_token_file`, `bearer_tokens`, `limits` and `tls_server_config`"
            ),
            (
                "{ bearer_tokens: ['short'] }",
                "1: bearer_tokens[0]: the token cannot be used; expected a text in quotes of 16 ASCII characters or more, without blanks"
            ),
            ("{ bearer_tokens: 's3cret' }", "1: bearer_tokens: found a text, expected a list [ \"token\", … ]"),
            ("tls:\n", "1: expected `{`: the file is JSON5, not YAML"),
        ])
    func web(text: String, expected: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try WebConfiguration(Array(text.utf8), file: "f") { $0.hasPrefix("$") }
        }
        expect(error?.description, expected)
    }
}
