import Platform
import Drain
import Configuration
import Glibc
import TestSupport
import Testing

@testable import Delivery

@Suite struct DeliveryTLSTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")

    /// A server with a certificate of its own. It answers every POST with 200.
    private static let server = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                print(self.rfile.read(int(self.headers["Content-Length"])).decode(), flush=True)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()
            def log_message(self, *arguments):
                pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print("port", server.server_port, flush=True)
        server.serve_forever()
        """

    @Test(
        "a server is trusted where its certificate is the file's, and sent nothing where its certificate is unknown")
    func verified() throws {
        let (certificate, key) = ("\(folder.path)/cert.pem", "\(folder.path)/key.pem")
        let made = try ChildProcess([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=desk", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
        ])
        try #require(try made.wait() == .code(0))
        let server = try ChildProcess(["python3", "-c", Self.server, certificate, key])
        let port = try #require(Int(server.line(beginning: "port ").dropFirst(5)))
        func lane(_ name: String, ca: String?) throws -> (lane: DeliveryWorker, accounts: ExportAccounts) {
            var destination = Destination(name: name, url: "https://127.0.0.1:\(port)/")
            destination.certificateAuthorityFile = ca
            destination.longestPauseNanoseconds = 200_000_000
            let accounts = ExportAccounts()
            accounts.keep([name])
            let lane = try DeliveryWorker(
                destination, url: destination.url, policy: .standard, store: try DeliveryStore(path: nil),
                accounts: accounts, logger: Logger(level: .error, descriptor: -1), userAgent: "ringside/test")
            try lane.start()
            let entry = DeliveryEntry(body: Array(name.utf8), contentType: "text/plain")
            lane.enqueue(DeliveryStore.Change(entries: [entry]))
            return (lane, accounts)
        }
        let (believing, suspicious) = (try lane("known", ca: certificate), try lane("unknown", ca: nil))
        defer {
            for lane in [believing.lane, suspicious.lane] {
                lane.beginEnd(by: 0)
                lane.join()
            }
        }
        try Watchdog.wait(for: "an entry that is taken") { believing.accounts.all[0].sent == 1 }
        try Watchdog.wait(for: "attempts in vain") { suspicious.accounts.all[0].failed["transport"] ?? 0 >= 2 }
        #expect(suspicious.accounts.all[0].sent == 0)
        #expect(server.lines.dropFirst() == ["known"])
    }
}
