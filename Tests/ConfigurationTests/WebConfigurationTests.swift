import Configuration
import Testing

@Suite struct WebConfigurationTests {
    private func read(_ text: String) throws(ConfigurationError) -> WebConfiguration {
        try WebConfiguration(Array(text.utf8), file: "conf/web.json5") { $0.hasPrefix("$") }
    }

    @Test("an empty object lets everybody ask, within bounds")
    func empty() throws {
        #expect(try read("{}") == WebConfiguration() && !WebConfiguration().needsCredentials)
    }

    @Test("files are named as seen from the folder of the one that names them, and every key is read")
    func whole() throws {
        let web = try read(
            """
            {
              tls_server_config: { cert_file: "server.crt", key_file: "/etc/key" },
              basic_auth_users: { ann: "$y$1", bob: "$2b$2" },
              bearer_tokens: ["0123456789abcdef"], bearer_token_file: "tokens",
              auth_excluded_paths: ["/-/healthy"],
              allowed_hosts: ["trader.example", "a.b"],
              limits: { connections: 9, connections_per_address: 8, header_bytes: 4096, request_timeout: "2s",
                        keep_alive: "1m", answer_timeout: "10s", requests_per_second: 0.5, burst: 3 },
            }
            """)
        #expect(web.tls == WebConfiguration.TLSFiles(certificate: "conf/server.crt", key: "/etc/key"))
        #expect(web.users == ["ann": "$y$1", "bob": "$2b$2"] && web.bearerTokens == ["0123456789abcdef"])
        #expect(web.bearerTokenFile == "conf/tokens" && web.excludedPaths == ["/-/healthy"] && web.needsCredentials)
        #expect(web.allowedHosts == ["trader.example", "a.b"])
        var limits = WebLimits()
        (limits.connections, limits.connectionsPerAddress, limits.headerBytes) = (9, 8, 4096)
        limits.requestNanoseconds = 2_000_000_000
        (limits.keepAliveNanoseconds, limits.answerNanoseconds) = (60_000_000_000, 10_000_000_000)
        (limits.requestsPerSecond, limits.burst) = (0.5, 3)
        #expect(web.limits == limits)
    }

    @Test(
        "what is wrong is said with its line, its key and what was expected, and no secret is repeated",
        arguments: [
            (
                "{\n basic_auth_users: { ann: 'secret' } }",
                "conf/web.json5:2: basic_auth_users.ann: is no sound hash of a password; expected what \"mkpasswd\" or \"htpasswd -nB\" says, $y$… or $2y$…"
            ),
            (
                "{ basic_auth_users: { 'a:b': '$y$' } }",
                "conf/web.json5:1: basic_auth_users.a:b: is no user's name; expected one without a colon"
            ),
            (
                "{ tls_server_config: { cert_file: 'a' } }",
                "conf/web.json5:1: tls_server_config.key_file: is missing; expected a PEM file with the certificate's key"
            ),
            (
                "{ limits: { connections: 0 } }",
                "conf/web.json5:1: limits.connections: found 0, expected a whole number from 1 to 10000"
            ),
            (
                "{ limits: { request_timeout: '2h' } }",
                "conf/web.json5:1: limits.request_timeout: found \"2h\", expected a time from \"100ms\" to \"60s\""
            ),
            (
                "{ auth_excluded_paths: ['healthy'] }",
                "conf/web.json5:1: auth_excluded_paths[0]: found \"healthy\", expected a path such as \"/-/healthy\""
            ),
            (
                "{ allowed_hosts: ['https://trader.example'] }",
                "conf/web.json5:1: allowed_hosts[0]: found \"https://trader.example\", expected a host's name such as \"trader.example\", without scheme and port"
            ),
            (
                "{ tls: {} }",
                "conf/web.json5:1: tls: is no key here; expected one of allowed_hosts, auth_excluded_paths, basic_auth_users, bearer_token_file, bearer_tokens, limits, tls_server_config"
            ),
            (
                "{ bearer_tokens: ['short'] }",
                "conf/web.json5:1: bearer_tokens[0]: is no token; expected a text of 16 letters or more, without blanks"
            ),
        ])
    func errors(text: String, expected: String) {
        do throws(ConfigurationError) {
            _ = try read(text)
            Issue.record("it is good")
        } catch {
            #expect(error.description == expected)
        }
    }
}
