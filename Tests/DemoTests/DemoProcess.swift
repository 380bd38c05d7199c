import Glibc
import Testing

@testable import ringside_demo

/// The command as a process of its own, with everything in a folder that goes when the test ends.
final class DemoProcess {
    let folder: String
    private var process: pid_t = 0

    /// A new folder below /dev/shm, where rings belong.
    init() throws {
        var template = Array("/dev/shm/ringside-demo-test-XXXXXX\0".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
        folder = String(cString: try #require(path))
    }

    deinit {
        if process > 0 {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        for name in ["report.json", "exact.txt", "feed.csv", "stdout", "stderr"] + (1...4).map({ "ringside.demo\($0)" })
        {
            unlink("\(folder)/\(name)")
        }
        rmdir(folder)
    }

    var report: String { "\(folder)/report.json" }
    var exact: String { "\(folder)/exact.txt" }
    var standardOutput: String { text("stdout") }
    var standardError: String { text("stderr") }

    func start(_ arguments: [String]) throws {
        let command = ["ringside-demo", "--ring-dir", folder] + arguments
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, name) in [(STDOUT_FILENO, "stdout"), (STDERR_FILENO, "stderr")] {
            posix_spawn_file_actions_addopen(
                &actions, descriptor, "\(folder)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        }
        var argv = command.map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        try #require(posix_spawn(&process, try Self.executable, &actions, nil, &argv, environ) == 0)
    }

    func send(_ signal: Int32) { kill(process, signal) }

    /// The exit status, or nil for one that had to be killed after a minute or died of a signal.
    func wait() -> Int32? {
        var status: Int32 = 0
        for _ in 0..<6_000 {
            if waitpid(process, &status, WNOHANG) == process {
                process = 0
                return status & 0x7f == 0 ? (status >> 8) & 0xff : nil
            }
            sleepNanoseconds(10_000_000)
        }
        return nil
    }

    func run(_ arguments: [String]) throws -> Int32? {
        try start(arguments)
        return wait()
    }

    private func text(_ name: String) -> String {
        (try? readFile("\(folder)/\(name)")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Built beside the tests' own executable.
    private static var executable: String {
        get throws {
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = buffer.withUnsafeMutableBytes {
                readlink("/proc/self/exe", $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
            }
            let own = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
            let folder = own[..<(try #require(own.lastIndex(of: "/")))]
            return "\(folder)/ringside-demo"
        }
    }
}
