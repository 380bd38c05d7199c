import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("A collector that wants a password") struct CollectorSecretTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private static let secret = "s3cret-w0rd"
    private static let verbs = [
        ["top", "--duration", "0.2"], ["report"], ["doctor"], ["list"], ["history", "--metric", "x"],
    ]

    private func file(_ name: String, _ text: String) -> String {
        let path = "\(folder.path)/\(name)"
        unlink(path)
        RingFile.make(path, Array(text.utf8))
        return path
    }

    private func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (exit: ChildProcess.Exit, said: String) {
        let process = try ChildProcess(
            [ChildProcess.builtProgram("ringside")] + arguments,
            environment: environment.merging(["RINGSIDE_DIR": folder.path]) { own, _ in own })
        let exit = try process.wait()
        return (exit, process.standardOutput + process.standardError)
    }

    /// The user and password in base64, as in the header.
    private static let basic = "Basic dXNlcjpzM2NyZXQtdzByZA=="

    @Test("no message shows a password of an address, whatever it holds and whatever fails")
    func redacted() throws {
        let port = try HTTPReceiver().port
        let passwords = [Self.secret, "a/\(Self.secret)", "\(Self.secret)@b", "?\(Self.secret)#"]
        for address in passwords.flatMap({ ["http://user:\($0)@127.0.0.1:\(port)", "user:\($0)@127.0.0.1:\(port)"] }) {
            for verb in Self.verbs {
                let (_, said) = try run(verb + ["--collector", address])
                #expect(!said.contains(Self.secret), "\(verb) \(said)")
                #expect(said.contains("a password on the command line") || verb[0] == "list", "\(verb): \(said)")
            }
        }
    }

    /// Reads a process's command line as others see it, while that process waits for an answer.
    private final class Look: Sendable {
        private let state = Mutex((pid: pid_t(0), seen: ""))

        var process: pid_t {
            get { state.withLock(\.pid) }
            set { state.withLock { $0.pid = newValue } }
        }
        var seen: String { state.withLock(\.seen) }

        func take() {
            while process == 0 { usleep(1000) }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let file = open("/proc/\(process)/cmdline", O_RDONLY)
            let count = read(file, &bytes, bytes.count)
            close(file)
            let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            state.withLock { $0.seen = text }
        }
    }

    @Test(
        "a password on the command line is not in /proc/PID/cmdline once the program asks with it, and the header has it"
    )
    func scrubbed() throws {
        for option in ["--collector=", "--collector "] {
            let look = Look()
            let receiver = try HTTPReceiver { _, _ in
                look.take()
                return .status(200)
            }
            let address = "\(option)http://user:\(Self.secret)@127.0.0.1:\(receiver.port)"
            let process = try ChildProcess(
                [ChildProcess.builtProgram("ringside"), "report"] + address.split(separator: " ").map(String.init))
            look.process = process.pid
            _ = try process.wait()
            let line = look.seen
            #expect(line.contains("report") && line.contains("@127.0.0.1") && !line.contains(Self.secret), "\(line)")
            #expect(!line.contains("user"))
            #expect(receiver.requests.first?.headers["authorization"] == Self.basic)
        }
    }

    @Test("a user and a password, or a token, come from a file that is named, from the environment's, or from .netrc")
    func files() throws {
        let receiver = try HTTPReceiver()
        let url = "http://127.0.0.1:\(receiver.port)"
        let password = file("password", "\(Self.secret)\n")
        let cases: [(String, [String: String], [String], String)] = [
            ("{ url: '\(url)', basic_auth: { user: 'user', password: '\(Self.secret)' } }", [:], [], Self.basic),
            ("{ url: '\(url)', basic_auth: { user: 'user', password_file: '\(password)' } }", [:], [], Self.basic),
            ("{ url: '\(url)/', bearer_token_file: '\(password)' }", [:], [], "Bearer \(Self.secret)"),
        ]
        for (text, _, _, expected) in cases {
            let path = file("access.json5", text)
            _ = try run(["report", "--collector-config", path])
            #expect(receiver.requests.last?.headers["authorization"] == expected)
            #expect(receiver.requests.last?.path == "/latest")
            let count = receiver.requests.count
            _ = try run(["report"], environment: ["RINGSIDE_COLLECTOR_CONFIG": path])
            #expect(receiver.requests.count == count + 1)
            #expect(receiver.requests.last?.headers["authorization"] == expected)
        }
        _ = file(".netrc", "machine 127.0.0.1 login user password \(Self.secret)\n")
        _ = try run(["report", "--collector", url], environment: ["HOME": folder.path])
        #expect(receiver.requests.last?.headers["authorization"] == Self.basic)
    }

    @Test("an error in a file is reported by line and key, without what may be a secret in it")
    func wrongFiles() throws {
        for text in [
            "{ url: 'http://user:\(Self.secret)@h' }", "{ url: 'http://user:\(Self.secret)/@h' }",
            "{ url: 'http://h', basic_auth: { user: 'u', password: \(Self.secret) } }",
            "{ url: 'http://h', basic_auth: { user: 'u', password: ['\(Self.secret)'] } }",
            "{ url: 'http://h', bearer_token: 5, no_such: '\(Self.secret)' }", "{ basic_auth: {} }",
        ] {
            let path = file("access.json5", text)
            let (exit, said) = try run(["report", "--collector-config", path])
            #expect(exit == .code(1) && said.contains("\(path):1: ") && !said.contains(Self.secret), "\(said)")
        }
        let (exit, said) = try run(["report", "--collector", "http://h", "--collector-config", "/x"])
        #expect(exit == .code(2) && said.contains("exclude each other"))
    }
}
