import Testing

@testable import Configuration

func configuration(_ text: String) throws -> CollectorConfiguration {
    try CollectorConfiguration(Array(text.utf8), file: "ringside.json5")
}

/// Returns the text of a file's error; nil if the file is good.
func complaint(_ text: String) -> String? {
    do throws(ConfigurationError) {
        _ = try CollectorConfiguration(Array(text.utf8), file: "ringside.json5")
        return nil
    } catch {
        return error.description
    }
}

/// Expects an error with these lines. Each stands behind the file's name.
func expect(_ found: String?, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(
        found == expected.split(separator: "\n").map { "ringside.json5:\($0)" }.joined(separator: "\n"),
        sourceLocation: sourceLocation)
}
