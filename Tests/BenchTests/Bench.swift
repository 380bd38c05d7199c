import FoundationEssentials
import TestSupport
import Testing

/// `ringside-bench` as users run it. Nothing here says how fast something must be: only that what is said was measured.
@Suite(.serialized) enum Bench {
    /// Runs a verb to its end.
    static func run(_ arguments: [String]) throws -> (exit: ChildProcess.Exit, output: String, errors: String) {
        let child = try ChildProcess([ChildProcess.builtProgram("ringside-bench")] + arguments)
        let exit = try child.wait(limitSeconds: 180)
        return (exit, child.standardOutput, child.standardError)
    }

    /// Runs a verb with `--quick --format json` and reads what it says.
    static func quick<Report: Decodable>(_ arguments: [String], as type: Report.Type) throws -> Report {
        let (exit, output, errors) = try run(arguments + ["--quick", "--format", "json"])
        try #require(exit == .code(0), "\(errors)")
        return try JSONDecoder().decode(type, from: Data(output.utf8))
    }
}

/// What every verb says of the machine.
struct HostFields: Decodable {
    let processor, kernel, clocksource, governor, swift, clang: String
    let processors: Int
    let commit: String?
}
