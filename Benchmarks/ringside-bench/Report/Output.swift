internal import JSON
internal import Arguments
internal import Exposition
internal import Glibc

/// A result that could not be written.
struct OutputError: Error, CustomStringConvertible {
    let description: String
}

enum Output {
    /// Writes one JSON document to standard output.
    static func json(_ body: (inout JSONWriter) -> Void) throws {
        var writer = JSONWriter()
        writer.object(body)
        try text(String(decoding: writer.bytes, as: UTF8.self) + "\n")
    }

    static func text(_ text: String) throws {
        guard Terminal.write(text) else { throw OutputError(description: "cannot write to standard output") }
    }

    /// Writes a text into a file, and replaces an older file of that name.
    static func file(_ path: String, _ text: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw failure(path) }
            rest = rest.dropFirst(written)
        }
    }

    private static func failure(_ path: String) -> OutputError {
        OutputError(description: "cannot write \(path): \(String(cString: strerror(errno)))")
    }
}

extension JSONWriter {
    mutating func member(_ name: String, _ value: Double) {
        key(name)
        number(value.isFinite ? rounded(value) : nil)
    }

    mutating func member(_ name: String, _ value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    mutating func member(_ name: String, _ value: some FixedWidthInteger) {
        key(name)
        integer(value)
    }

    mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

    mutating func member(_ name: String, object body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    mutating func member(_ name: String, array body: (inout JSONWriter) -> Void) {
        key(name)
        array(body)
    }
}

/// Rounds to a thousandth, or to four digits if that is finer. Anything below is the machine's noise.
private func rounded(_ value: Double) -> Double {
    var scale = 1000.0
    while value != 0, abs(value) * scale < 1000, scale < 1e12 { scale *= 10 }
    return (value * scale).rounded() / scale
}
