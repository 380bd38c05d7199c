internal import Arguments

/// How a verb writes its data.
enum OutputFormat: String, CaseIterable, Sendable {
    case text
    case json
}

extension Option {
    /// Returns `--color`, for each verb that uses colours.
    static func color(_ path: Place<Options, Terminal.ColourUse>) -> Option {
        .value(
            "color", "WHEN", path, .choice,
            help: "When the text has colours; auto is on a terminal, and never with NO_COLOR in the environment")
    }
}

/// An error of writing to standard output.
struct OutputError: Error, CustomStringConvertible {
    let description = "cannot write to standard output; is the disk full, or the reader gone?"
}

extension Terminal {
    /// Writes the whole of a verb's data.
    static func output(_ text: String) throws(OutputError) {
        guard write(text) else { throw OutputError() }
    }

    /// Writes one JSON document, ended by a newline.
    static func output(json: [UInt8]) throws(OutputError) {
        try output(bytes: json + [UInt8(ascii: "\n")])
    }

    /// Writes bytes that are UTF-8 already.
    static func output(bytes: [UInt8]) throws(OutputError) {
        try output(String(decoding: bytes, as: UTF8.self))
    }
}
