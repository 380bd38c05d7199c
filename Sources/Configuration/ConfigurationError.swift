/// What is wrong with a configuration file: everything that was found, not the first of it alone.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One thing that is wrong.
    package struct Problem: Equatable, Sendable {
        /// From 1; nil where the file as a whole is meant.
        package var line: Int?
        /// Where in the file, such as `alerts[2].threshold`; "" where the file as a whole is meant.
        package var key: String
        /// What is there, and what was expected.
        package var message: String
    }

    /// As it was named on the command line.
    package var file: String
    /// In the order of the file.
    package var problems: [Problem]

    /// A line for each problem: `FILE:LINE: KEY: what is there, what was expected`.
    package var description: String {
        problems.map { problem in
            [problem.line.map { "\(file):\($0)" } ?? file, problem.key, problem.message].filter { !$0.isEmpty }
                .joined(separator: ": ")
        }.joined(separator: "\n")
    }
}
