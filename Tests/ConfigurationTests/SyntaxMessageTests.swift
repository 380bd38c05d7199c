import Testing

@testable import Configuration

@Suite("Messages about a file that cannot be read") struct SyntaxMessageTests {
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
        let error = #expect(throws: ConfigurationError.self) {
            try CollectorConfiguration(bytes, file: "ringside.json5")
        }
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
                "{ webhooks: [{ url: 'http://x', bearer_token: s3cret }] }",
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
}
