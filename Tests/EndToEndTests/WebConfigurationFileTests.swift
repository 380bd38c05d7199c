import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A collector that serves known users only") struct WebConfigurationFileTests {
        private let rings = TemporaryRingDirectory()
        private let folder = TemporaryRingDirectory(under: "/tmp")

        private var file: String { "\(folder.path)/web.json5" }

        /// "correct horse", by bcrypt at its cheapest.
        private static let hash = "$2b$04$SXk87H8cskqVJ.TmoKZ.GurD73BN2zmULBGUg6O/6ST5AR7Dy9A7W"

        /// Makes a certificate of no known authority with its key, for 127.0.0.1, in the files that the server reads.
        private func makeCertificate(_ name: String) throws {
            let made = try run([
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days",
                "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                "\(folder.path)/server.key", "-out", "\(folder.path)/\(name).crt",
            ])
            try #require(made.exit == .code(0), "\(made.errors)")
            let copied = try run(["cp", "\(folder.path)/\(name).crt", "\(folder.path)/server.crt"])
            try #require(copied.exit == .code(0))
        }

        private func start(_ options: [String] = []) throws -> (process: ChildProcess, port: String) {
            let process = try Daemon.start(rings, ["--web.config.file", file] + options)
            var port: Substring?
            try Watchdog.wait(for: "the collector's address") {
                let line = process.standardError.split(separator: "\n").first { $0.contains(" msg=listening ") }
                port = line?.split(separator: " ").first { $0.hasPrefix("address=") }?.split(separator: ":").last
                return port != nil || process.hasEnded()
            }
            return (process, String(try #require(port, "\(process.standardError)")))
        }

        /// Returns curl's answer: the status, 000 if there was none, and the body.
        private func curl(_ arguments: [String]) throws -> (status: String, body: String) {
            let words = ["curl", "--silent", "--max-time", "20", "--write-out", "\n%{http_code}"] + arguments
            let lines = try run(words).output.split(separator: "\n", omittingEmptySubsequences: false)
            return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
        }

        @Test(
            "over TLS, with a user's password or a token, everything is served, and without them nothing but what is excluded; a changed file and certificate hold from SIGHUP on"
        )
        func secured() throws {
            try makeCertificate("first")
            try write("another-token-of-a-job\n", to: "\(folder.path)/tokens")
            try write(
                """
                {
                  tls_server_config: { cert_file: "server.crt", key_file: "server.key" },
                  basic_auth_users: { ann: "\(Self.hash)" },
                  bearer_tokens: ["token-of-a-scraper"], bearer_token_file: "tokens",
                  auth_excluded_paths: ["/-/healthy"],
                }
                """, to: file)
            let checked = try run([ChildProcess.builtProgram("ringsided"), "--web.config.file", file, "--check-config"])
            #expect(checked.exit == .code(0) && checked.output == "\(file): good\n")
            try write("{}", to: "\(folder.path)/collector.json5")
            let (process, port) = try start(["--config", "\(folder.path)/collector.json5"])
            let url = "https://127.0.0.1:\(port)"
            let first = ["--cacert", "\(folder.path)/first.crt"]
            try Watchdog.wait(for: "a collector that is ready") {
                try curl(first + ["-u", "ann:correct horse", "\(url)/-/ready"]).status == "200"
            }
            #expect(try curl(first + ["\(url)/-/healthy"]).status == "200")
            for path in ["/", "/metrics", "/latest", "/-/ready", "/no/such"] {
                #expect(try curl(first + [url + path]).status == "401", "\(path)")
            }
            #expect(try curl(first + ["-u", "ann:wrong", "\(url)/metrics"]).status == "401")
            let metrics = try curl(first + ["-u", "ann:correct horse", "\(url)/metrics"])
            #expect(metrics.status == "200" && metrics.body.contains("ringside_build_info"))
            for token in ["token-of-a-scraper", "another-token-of-a-job"] {
                #expect(try curl(first + ["-H", "Authorization: Bearer \(token)", "\(url)/latest"]).status == "200")
            }
            // These requests have an untrusted certificate, and no encryption at all.
            #expect(try curl(["\(url)/-/healthy"]).status == "000")
            #expect(try curl(["http://127.0.0.1:\(port)/-/healthy"]).status == "000")
            // Nobody changes the configuration without authentication.
            #expect(try curl(first + ["-X", "POST", "\(url)/-/reload"]).status == "401")
            #expect(try curl(first + ["-u", "ann:correct horse", "-X", "POST", "\(url)/-/reload"]).status == "200")

            let session = try ChildProcess([
                "openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", "\(folder.path)/first.crt", "-brief",
            ])
            _ = try session.wait()
            #expect(session.standardError.contains("Verification: OK") && session.standardError.contains("CN = first"))

            try makeCertificate("second")
            try write(
                """
                {
                  tls_server_config: { cert_file: "server.crt", key_file: "server.key" },
                  bearer_tokens: ["token-of-a-new-scraper"],
                }
                """, to: file)
            process.send(SIGHUP)
            let second = [
                "--cacert", "\(folder.path)/second.crt", "-H", "Authorization: Bearer token-of-a-new-scraper",
            ]
            try Watchdog.wait(for: "the new certificate") { try curl(second + ["\(url)/latest"]).status == "200" }
            #expect(try curl(first + ["\(url)/-/healthy"]).status == "000")
            #expect(try curl(Array(second.prefix(2)) + ["\(url)/-/healthy"]).status == "401")
            #expect(try curl(Array(second.prefix(2)) + ["-u", "ann:correct horse", "\(url)/latest"]).status == "401")

            // A key that does not belong to the certificate changes nothing, and is reported.
            try makeCertificate("third")
            _ = try run(["cp", "\(folder.path)/second.crt", "\(folder.path)/server.crt"])
            let refused = try curl(second + ["-X", "POST", "\(url)/-/reload"])
            #expect(refused.status == "500" && refused.body.contains("as a certificate with the key"))
            #expect(try curl(second + ["\(url)/latest"]).status == "200")
            #expect(try process.end() == .code(0))
        }

        @Test("a bad file, or one that names a missing file, is refused at the start with the reason")
        func bad() throws {
            func errors() throws -> String {
                let ended = try run(
                    [ChildProcess.builtProgram("ringsided"), "--ring-dir", rings.path, "--web.config.file", file])
                #expect(ended.exit == .code(1))
                return ended.errors.joined(separator: "\n")
            }
            try write("{ basic_auth_users: { ann: 'correct horse' } }", to: file)
            let shown = try errors()
            #expect(
                shown.contains("\(file):1: basic_auth_users.ann: this is not the hash of a password")
                    && !shown.contains("correct horse"))
            try write("{ tls_server_config: { cert_file: 'no.crt', key_file: 'no.key' } }", to: file)
            #expect(
                try errors().contains("cannot read the certificate \(folder.path)/no.crt: No such file or directory"))
            try write("{ bearer_token_file: 'none' }", to: file)
            #expect(try errors().contains("cannot read the tokens \(folder.path)/none"))
        }

        @Test("listening beyond this machine gives a warning where everybody is let in, or passwords go unencrypted")
        func warnings() throws {
            func log(_ text: String, _ address: String) throws -> String {
                try write(text, to: file)
                let (process, _) = try start(["--web.listen-address", address])
                #expect(try process.end() == .code(0))
                return process.standardError
            }
            #expect(try log("{}", "0.0.0.0:0").contains("everybody who can reach this address may read everything"))
            let tokens = "{ bearer_tokens: ['token-of-a-scraper'] }"
            #expect(try log(tokens, "0.0.0.0:0").contains("passwords and tokens arrive unencrypted"))
            let loopback = try log("{}", "127.0.0.1:0")
            #expect(!loopback.contains("level=warn"))
        }
    }
}
