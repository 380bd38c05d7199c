internal import Arguments

/// How a verb writes its data.
enum OutputFormat: String, CaseIterable, Sendable {
    case text
    case json
}

/// A result that standard output would not take.
struct OutputError: Error, CustomStringConvertible {
    let description = "cannot write to standard output; is the disk full, or the reader gone?"
}

extension Terminal {
    /// Writes the whole of a verb's data.
    static func output(_ text: String) throws(OutputError) {
        guard write(text) else { throw OutputError() }
    }

    /// Writes one JSON document, ended as a line.
    static func output(json: [UInt8]) throws(OutputError) {
        try output(String(decoding: json, as: UTF8.self) + "\n")
    }
}
