import FoundationEssentials
import Glibc

/// Programs in Python that check our output with independent libraries, in the environment that `tools/setup --tests`
/// makes.
package enum Python {
    /// The path of the interpreter.
    package static var path: String { "\(packageFolder)/.build/python/bin/python" }

    /// Runs a program to its end, and reads its output as JSON.
    ///
    /// - Throws: An error if the environment is missing, or if the program fails.
    package static func run<Answer: Decodable>(
        _ script: String, _ arguments: [String], as type: Answer.Type = Answer.self
    ) throws -> Answer {
        guard access(path, X_OK) == 0 else {
            throw ChildProcess.SpawnError(description: "there is no \(path): run tools/setup --tests")
        }
        let process = try ChildProcess([path, "-B", script] + arguments)
        let exit = try process.wait(limitSeconds: 120)
        guard exit == .code(0) else {
            throw ChildProcess.SpawnError(description: "\(script): \(exit): \(process.standardError)")
        }
        return try JSONDecoder().decode(Answer.self, from: Data(process.standardOutput.utf8))
    }
}

/// The folder of the package.
package let packageFolder: String = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" }
