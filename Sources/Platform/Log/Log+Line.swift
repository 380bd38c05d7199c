import Glibc
internal import JSON

/// One line before it is written.
struct LogLine {
    var time: timespec
    var level: LogLevel
    var message: String
    var fields: [Logger.Field]

    /// Returns the line with its line end.
    func bytes(_ format: LogFormat) -> [UInt8] {
        switch format {
        case .logfmt: logfmt()
        case .json: json()
        }
    }

    private func logfmt() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append("time=\(rfc3339(time)) level=\(level.rawValue) msg=")
        bytes.append(logfmtValue: message)
        for field in fields {
            bytes.append(" \(field.name)=")
            bytes.append(logfmtValue: field.value.text)
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private func json() -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.object {
            $0.key("time")
            $0.string(rfc3339(time))
            $0.key("level")
            $0.string(level.rawValue)
            $0.key("msg")
            $0.string(message)
            for field in fields {
                $0.member(field.name, field.value)
            }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}

extension LogValue {
    fileprivate var text: String {
        switch self {
        case .text(let text): text
        case .integer(let value): "\(value)"
        case .number(let value): value.isFinite ? "\(value)" : value.nonFiniteText
        case .bool(let value): "\(value)"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ value: LogValue) {
        if case .number(let value) = value { return number(name, value) }
        key(name)
        switch value {
        case .text(let text): string(text)
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .bool(let value): bool(value)
        }
    }
}

extension [UInt8] {
    /// Appends text, quoted if a reader could take the bare text for several fields or for none. Control characters are
    /// escaped, so that no field can start a new line or move a terminal's cursor.
    fileprivate mutating func append(logfmtValue text: String) {
        let isBare = !text.isEmpty && text.unicodeScalars.allSatisfy { $0.value > 0x20 && !$0.needsLogQuotes }
        guard !isBare else { return append(text) }
        append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            case _ where scalar.isControl: append("\\u\(hexadecimal(scalar.value))")
            default: append(contentsOf: UTF8.encode(scalar)!)
            }
        }
        append(UInt8(ascii: "\""))
    }
}

extension Unicode.Scalar {
    /// Whether it is in C0, DEL or C1.
    fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

    fileprivate var needsLogQuotes: Bool { self == "\"" || self == "=" || self == "\\" || isControl }
}

private func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
}
