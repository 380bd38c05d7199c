import FoundationEssentials
import TestSupport
import Testing

/// `ringside-bench` as users run it. No test demands a speed: each only checks that the figures shown were measured.
@Suite(.serialized) enum Bench {
    /// Runs a verb to its end.
    static func run(_ arguments: [String]) throws -> (exit: ChildProcess.Exit, output: String, errors: String) {
        let child = try ChildProcess([ChildProcess.builtProgram("ringside-bench")] + arguments)
        let exit = try child.wait(limitSeconds: 180)
        return (exit, child.standardOutput, child.standardError)
    }

    /// Runs a verb with `--quick --format json` and decodes its output.
    static func quick<Report: Decodable>(_ arguments: [String], as type: Report.Type) throws -> Report {
        let (exit, output, errors) = try run(arguments + ["--quick", "--format", "json"])
        try #require(exit == .code(0), "\(errors)")
        return try JSONDecoder().decode(type, from: Data(output.utf8))
    }
}

/// The machine's facts in every verb's output.
struct HostFields: Decodable {
    let processor, kernel, clocksource, governor, swift, clang: String
    let processors: Int
    let commit: String?
}
