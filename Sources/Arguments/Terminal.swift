import Glibc

/// What standard output is joined to, and so how a command should write.
package enum Terminal {
    /// Whether standard output is a terminal; a pipe and a file are not.
    package static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether colours are welcome: on a terminal that is not `dumb`, and never where `NO_COLOR` says something
    /// (no-color.org: any value but the empty one).
    package static var hasColour: Bool {
        isInteractive && environment("NO_COLOR").isEmpty && environment("TERM") != "dumb"
    }

    /// The terminal's width; nil where output is no terminal, so that nothing that goes to a file is ever cut.
    package static var columns: Int? {
        guard isInteractive else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return Int(environment("COLUMNS")) ?? 80
    }

    /// How a text is drawn attention to.
    package enum Style: Int, Sendable {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// The text in that style (ECMA-48 SGR) where colours are welcome, else the text alone.
    package static func styled(_ text: String, _ style: Style, hasColour: Bool = Terminal.hasColour) -> String {
        hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes data to standard output at once, past stdio's buffer.
    ///
    /// - Returns: False where it could not all be written, as on a full disk.
    package static func write(_ text: String) -> Bool {
        writeAll(text, to: STDOUT_FILENO)
    }

    /// Writes a message to standard error as one line, ended here.
    package static func report(_ message: String) {
        _ = writeAll(message + "\n", to: STDERR_FILENO)
    }

    private static func writeAll(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { return false }
                rest = rest.dropFirst(written)
            }
            return true
        }
    }

    private static func environment(_ name: String) -> String {
        getenv(name).map { String(cString: $0) } ?? ""
    }
}
