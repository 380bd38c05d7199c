import Glibc

/// The properties of standard output, and writing to it and to standard error.
package enum Terminal {
    /// Whether standard output is a terminal. A pipe and a file are not.
    package static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether colours are used: on a terminal that is not `dumb`, unless `NO_COLOR` is set and not empty
    /// (no-color.org).
    package static var hasColour: Bool {
        isInteractive && environment("NO_COLOR").isEmpty && environment("TERM") != "dumb"
    }

    /// The terminal's width; nil if output is not a terminal, so that text in a file is never cut.
    package static var columns: Int? {
        guard isInteractive else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return Int(environment("COLUMNS")) ?? 80
    }

    /// A style for emphasis.
    package enum Style: Int, Sendable {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// Returns the text in that style (ECMA-48 SGR) if colours are used, otherwise unchanged.
    package static func styled(_ text: String, _ style: Style, hasColour: Bool = Terminal.hasColour) -> String {
        hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes text to standard output immediately, bypassing stdio's buffer.
    ///
    /// - Returns: False if it could not be written completely, as on a full disk.
    package static func write(_ text: String) -> Bool {
        writeAll(text, to: STDOUT_FILENO)
    }

    /// Writes a message to standard error as one line, with its line end.
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
