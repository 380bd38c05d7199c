import TestSupport
import Testing

@testable import ringside_demo

/// A run of the command as a process of its own, with a folder for its rings and files that is removed when the test
/// ends.
final class DemoProcess {
    private let directory = TemporaryRingDirectory()
    private var process: ChildProcess?

    var folder: String { directory.path }
    var report: String { "\(folder)/report.json" }
    var exact: String { "\(folder)/exact.txt" }
    var standardOutput: String { process?.standardOutput ?? "" }
    var standardError: String { process?.standardError ?? "" }

    func ring(_ name: String) -> String { directory.ring(name) }

    func start(_ arguments: [String]) throws {
        process = try ChildProcess([ChildProcess.builtProgram("ringside-demo"), "--ring-dir", folder] + arguments)
    }

    func send(_ signal: Int32) { process?.send(signal) }

    /// Waits for its end, and returns how it ended.
    ///
    /// - Throws: `Watchdog.Expired`.
    func wait() throws -> ChildProcess.Exit { try #require(process).wait() }

    func run(_ arguments: [String]) throws -> ChildProcess.Exit {
        try start(arguments)
        return try wait()
    }
}
