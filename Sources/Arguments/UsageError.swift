/// The command line was wrong: the command has done nothing and exits with status 2.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The whole line for standard error: who speaks, what is wrong, and where to read what would be right.
    package let description: String

    init(_ problem: String, command: String) {
        description = "\(command): \(problem); see '\(command) --help'"
    }
}
