/// A JSON5 document whose keys are known, read whole: everything that is wrong with it is told at once.
package enum Document {
    /// - Parameters:
    ///   - file: The file's name, for messages.
    ///   - read: Takes everything out of the root, and notes what is wrong.
    /// - Throws: ``ConfigurationError`` with every problem that was found, in the order of the file.
    package static func read<Value>(
        _ bytes: [UInt8], file: String, _ read: (Section) -> Value
    ) throws(ConfigurationError) -> Value {
        var scanner = Scanner(bytes)
        let problems = ProblemList()
        let root: Node
        do throws(Scanner.SyntaxError) {
            root = try scanner.document()
        } catch {
            throw ConfigurationError(file: file, problems: scanner.duplicates + [error.problem])
        }
        let value = read(Section(root, path: "", problems: problems))
        let all = (scanner.duplicates + problems.all).enumerated().sorted {
            ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
        }
        guard all.isEmpty else { throw ConfigurationError(file: file, problems: all.map(\.element)) }
        return value
    }
}
