import Glibc

/// How much a log line matters; lines below the logger's level are not written.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case debug, info, warn, error

    package static func < (a: LogLevel, b: LogLevel) -> Bool {
        allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
}

/// How a log line is written.
package enum LogFormat: String, CaseIterable, Sendable {
    /// `time=… level=info msg="ring attached" ring=alpha` (brandur.org/logfmt).
    case logfmt
    /// One JSON object a line (RFC 8259), all fields strings but numbers and truth values.
    case json
}

/// A value in a log line: written as what it is in JSON, as text in logfmt.
package enum LogValue: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    case text(String)
    case integer(Int64)
    case number(Double)
    case bool(Bool)

    package init(stringLiteral value: String) { self = .text(value) }
}

/// Writes lines to standard error. A value: copies write to the same place, from any thread; one line is one write(2), so
/// that lines of several threads and processes do not mix.
///
/// Cost: a line below the level costs one comparison, and its fields are not made.
package struct Logger: Sendable {
    /// A field's name and its value; names are of the program, in lower case with underscores.
    package typealias Field = (name: String, value: LogValue)

    package let level: LogLevel
    package let format: LogFormat
    private let descriptor: Int32
    private let time: TimeSource

    /// - Parameters:
    ///   - level: The lowest level written.
    ///   - descriptor: Where to; the logger does not close it.
    ///   - time: What time the lines say; default the wall clock's.
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
        // A full disk or a closed pipe behind standard error is no reason to stop: the line is lost.
        while write(descriptor, line, line.count) < 0, errno == EINTR {}
    }
}
