import Glibc

/// The severity of a log line; lines below the logger's level are not written.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case debug, info, warn, error

    package static func < (a: LogLevel, b: LogLevel) -> Bool {
        allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
}

/// The format of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
    /// `time=… level=info msg="ring attached" ring=alpha` (brandur.org/logfmt).
    case logfmt
    /// One JSON object per line (RFC 8259). Numbers and booleans keep their type; every other value is a string.
    case json
}

/// A value in a log line: typed in JSON, text in logfmt.
package enum LogValue: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    case text(String)
    case integer(Int64)
    case number(Double)
    case bool(Bool)

    package init(stringLiteral value: String) { self = .text(value) }
}

/// Writes lines to standard error. Copies write to the same place, from any thread. One line is one write(2), so lines
/// of several threads and processes do not mix.
///
/// Cost: a line below the level costs one comparison; its fields are not evaluated.
package struct Logger: Sendable {
    /// A field's name and value; names are constants in lower case with underscores.
    package typealias Field = (name: String, value: LogValue)

    package let level: LogLevel
    package let format: LogFormat
    private let descriptor: Int32
    private let time: TimeSource

    /// - Parameters:
    ///   - level: The lowest level to write.
    ///   - descriptor: The file to write to; the logger does not close it.
    ///   - time: The clock for the lines; default the wall clock.
    package init(
        level: LogLevel = .info, format: LogFormat = .logfmt, descriptor: Int32 = STDERR_FILENO,
        time: TimeSource = .system
    ) {
        self.level = level
        self.format = format
        self.descriptor = descriptor
        self.time = time
    }

    package func debug(_ message: String, _ fields: @autoclosure () -> [Field] = []) { log(.debug, message, fields) }
    package func info(_ message: String, _ fields: @autoclosure () -> [Field] = []) { log(.info, message, fields) }
    package func warn(_ message: String, _ fields: @autoclosure () -> [Field] = []) { log(.warn, message, fields) }
    package func error(_ message: String, _ fields: @autoclosure () -> [Field] = []) { log(.error, message, fields) }

    private func log(_ level: LogLevel, _ message: String, _ fields: () -> [Field]) {
        guard level >= self.level else { return }
        let now = time.unix()
        let time = timespec(tv_sec: Int(now / 1_000_000_000), tv_nsec: Int(now % 1_000_000_000))
        let line = LogLine(time: time, level: level, message: message, fields: fields()).bytes(format)
        // If standard error is a full disk or a closed pipe, the line is lost, but the program continues.
        while write(descriptor, line, line.count) < 0, errno == EINTR {}
    }
}
