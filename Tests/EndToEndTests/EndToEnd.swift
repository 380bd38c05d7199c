import Glibc
import TestSupport
import Testing

/// Tests the commands together, as users run them: each in a process of its own, over real files, sockets and signals.
///
/// The tests run one after the other, since several load the machine. None tests the speed of anything. Tests that
/// start servers of other projects, or stand in for one, are a second row beside the first, because they mostly wait.
@Suite(.serialized) enum EndToEnd {}
@Suite(.serialized) enum EndToEndWithPeers {}

func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// The root of the checkout with this file.
let repository = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

/// Returns the full path of a command; nil if it is not in PATH.
func commandPath(_ name: String) -> String? {
    let folders = (environment("PATH") ?? "").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
}

/// An error that ends a test.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

extension ChildProcess {
    /// Ends the process cleanly, and waits for that.
    func end(by signal: Int32 = SIGTERM) throws -> Exit {
        send(signal)
        return try wait()
    }
}

/// Runs a command to its end.
func run(
    _ arguments: [String], environment: [String: String] = [:], limitSeconds: Double = 120
) throws -> (exit: ChildProcess.Exit, output: String, errors: [Substring]) {
    let child = try ChildProcess(arguments, environment: environment)
    let exit = try child.wait(limitSeconds: limitSeconds)
    return (exit, child.standardOutput, child.standardError.split(separator: "\n"))
}
