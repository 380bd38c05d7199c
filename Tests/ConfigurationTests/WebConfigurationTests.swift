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
              limits: { connections: 9, connections_per_address: 8, header_bytes: 4096, event_streams: 5,
                        request_timeout: "2s", keep_alive: "1m", answer_timeout: "10s", requests_per_second: 0.5, burst: 3 },
            }
            """)
        #expect(web.tls == WebConfiguration.TLSFiles(certificate: "conf/server.crt", key: "/etc/key"))
        #expect(web.users == ["ann": "$y$1", "bob": "$2b$2"] && web.bearerTokens == ["0123456789abcdef"])
        #expect(web.bearerTokenFile == "conf/tokens" && web.excludedPaths == ["/-/healthy"] && web.needsCredentials)
        #expect(web.allowedHosts == ["trader.example", "a.b"])
        var limits = WebLimits()
        (limits.connections, limits.connectionsPerAddress, limits.headerBytes) = (9, 8, 4096)
        limits.eventStreams = 5
        limits.requestNanoseconds = 2_000_000_000
        (limits.keepAliveNanoseconds, limits.answerNanoseconds) = (60_000_000_000, 10_000_000_000)
        (limits.requestsPerSecond, limits.burst) = (0.5, 3)
        #expect(web.limits == limits)
    }
}
