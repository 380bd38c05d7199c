package import FoundationEssentials
import Glibc

/// Programs in Python that judge what is written here with other people's code, in the environment that `tools/setup-peers`
/// makes.
package enum Python {
    /// Runs one to its end and reads what it says, as JSON.
    ///
    /// - Throws: Where the environment is missing, and where the program fails.
    package static func run<Answer: Decodable>(
        _ script: String, _ arguments: [String], as type: Answer.Type = Answer.self
    ) throws -> Answer {
        guard access(interpreter, X_OK) == 0 else {
            throw ChildProcess.SpawnError(description: "there is no \(interpreter): run tools/setup-peers")
        }
        let process = try ChildProcess([interpreter, "-B", script] + arguments)
        let exit = try process.wait(limitSeconds: 120)
        guard exit == .code(0) else {
            throw ChildProcess.SpawnError(description: "\(script): \(exit): \(process.standardError)")
        }
        return try JSONDecoder().decode(Answer.self, from: Data(process.standardOutput.utf8))
    }

    private static var interpreter: String { "\(packageFolder)/.build/python/bin/python" }
}

/// Where the package lies.
package let packageFolder: String = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" }
