/// The problems of a configuration file: all of them, not only the first.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One problem.
    package struct Problem: Equatable, Sendable {
        /// From 1; nil if the problem concerns the whole file.
        package var line: Int?
        /// The path in the file, such as `alerts[2].threshold`; "" if the problem concerns the whole file.
        package var key: String
        /// A description of what was found, and what was expected.
        package var message: String

        /// Returns `FILE:LINE: KEY: what was found, what was expected`.
        package func description(file: String) -> String {
            [line.map { "\(file):\($0)" } ?? file, key, message].filter { !$0.isEmpty }.joined(separator: ": ")
        }
    }

    /// The file's name as given on the command line.
    package var file: String
    /// The problems in the order of the file.
    package var problems: [Problem]

    /// The problems, one a line.
    package var description: String { problems.map { $0.description(file: file) }.joined(separator: "\n") }
}
