/// A wrong command line. The command has done nothing and exits with status 2.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The line for standard error: the command's name, the problem, and a command that shows the correct usage.
    package let description: String

    /// - Parameter command: The command as typed. The help of a verb, such as `ringside list`, is `ringside help list`.
    init(_ problem: String, command: String) {
        let words = command.split(separator: " ")
        let help = words.count == 2 ? "\(words[0]) help \(words[1])" : "\(command) --help"
        description = "\(command): \(problem); see '\(help)'"
    }
}
