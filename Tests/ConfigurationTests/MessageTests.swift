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
            ("{ influxdb: [] }", "1: influxdb: unknown key here; it is a key of `exports`"),
            ("{ anything: 1 }", "1: anything: unknown key; the keys known here are \(rootKeys)"),
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
            try WebConfiguration(Array(text.utf8), file: "ringside.json5") { $0.hasPrefix("$") }
        }
        expect(error?.description, expected)
    }
}
