/// A JSON5 document with known keys, read as a whole, so that all its problems are reported at once.
package enum Document {
    /// Reads a document.
    ///
    /// - Parameters:
    ///   - file: The file's name, for messages.
    ///   - read: Reads the root's keys, and records problems.
    /// - Throws: ``ConfigurationError`` with every problem found, in the order of the file.
    package static func read<Value>(
        _ bytes: [UInt8], file: String, _ read: (Section) -> Value
    ) throws(ConfigurationError) -> Value {
        if let problem = OtherFormat.problem(of: bytes) { throw ConfigurationError(file: file, problems: [problem]) }
        var scanner = Scanner(bytes)
        let problems = ProblemList()
        let root: Node
        do throws(Scanner.SyntaxError) {
            root = try scanner.document()
        } catch {
            throw ConfigurationError(file: file, problems: scanner.problems + [error.problem])
        }
        let value = Section.read(root, path: "", problems: problems, read)
        let all = (scanner.problems + problems.all).enumerated().sorted {
            ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
        }
        guard all.isEmpty else { throw ConfigurationError(file: file, problems: all.map(\.element)) }
        return value
    }
}
