import Glibc
import Synchronization

/// The properties of standard output, and writing to it and to standard error.
package enum Terminal {
    /// Whether standard output is a terminal. A pipe and a file are not.
    package static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether colours are used without a choice of the user: on a terminal that is not `dumb`, unless `NO_COLOR` is set
    /// and not empty (no-color.org).
    package static var hasColour: Bool {
        isInteractive && environment("NO_COLOR").isEmpty && environment("TERM") != "dumb"
    }

    /// When colours are used. The names are the option's values.
    package enum ColourUse: String, CaseIterable, Sendable {
        case auto
        case always
        case never

        /// Whether colours are used now.
        package var hasColour: Bool {
            switch self {
            case .auto: Terminal.hasColour
            case .always: true
            case .never: false
            }
        }
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
        clearTransient()
        return writeAll(text, to: STDOUT_FILENO)
    }

    /// Writes a message to standard error as one line, with its line end.
    package static func report(_ message: String) {
        clearTransient()
        _ = writeAll(message + "\n", to: STDERR_FILENO)
    }

    private static let hasTransient = Atomic<Bool>(false)

    /// Shows a line on standard error, which must be a terminal, until the next output or the next such line. It is cut
    /// to the terminal's width.
    package static func showTransient(_ line: String) {
        var size = winsize()
        let width = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
        hasTransient.store(true, ordering: .relaxed)
        // The cursor goes back to the line's beginning, so that the output of others begins there.
        _ = writeAll("\r\(line.prefix(width - 1))\u{1B}[K\r", to: STDERR_FILENO)
    }

    /// Removes the line that ``showTransient(_:)`` showed, if there is one.
    package static func clearTransient() {
        guard hasTransient.exchange(false, ordering: .relaxed) else { return }
        _ = writeAll("\u{1B}[K", to: STDERR_FILENO)
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
