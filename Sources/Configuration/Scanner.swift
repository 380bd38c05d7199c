internal import FoundationEssentials

/// Reads the structure of a JSON5 document (https://spec.json5.org), with the line of each key and value.
///
/// FoundationEssentials' decoder reads JSON5, but reports no line for an error or a key, and silently uses the last of
/// two equal keys. So the structure is parsed here, and only single strings and numbers go to that decoder.
struct Scanner {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var path: [String] = []
    private let decoder = JSONDecoder()
    /// Problems that do not prevent reading the structure: invalid words, and duplicate keys in an object.
    private(set) var problems: [ConfigurationError.Problem] = []

    /// The deepest nesting, since the stack is finite. No real configuration is deeper.
    private static let depthLimit = 64

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        decoder.allowsJSON5 = true
    }

    struct SyntaxError: Error {
        let problem: ConfigurationError.Problem
    }

    /// Reads the whole document, which is an object.
    mutating func document() throws(SyntaxError) -> Node {
        try skipBlanks()
        guard peek == UInt8(ascii: "{") else {
            let other = OtherFormat.name(String(decoding: bytes[position...], as: UTF8.self))
            throw failure("expected `{`\(other.map { ": the file is JSON5, not \($0)" } ?? ", found \(found)")")
        }
        let node = try value()
        try skipBlanks()
        guard position == bytes.count else { throw failure("expected the end of the file, found \(found)") }
        return node
    }

    private mutating func value() throws(SyntaxError) -> Node {
        try skipBlanks()
        let start = line
        guard path.count < Self.depthLimit else {
            throw failure("the values are nested deeper than \(Self.depthLimit) levels")
        }
        switch peek {
        case UInt8(ascii: "{"): return Node(line: start, content: .object(try members()))
        case UInt8(ascii: "["): return Node(line: start, content: .array(try elements()))
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return Node(line: start, content: .text(try string()))
        default: return Node(line: start, content: try word())
        }
    }

    private mutating func members() throws(SyntaxError) -> [Node.Member] {
        var members: [Node.Member] = []
        position += 1
        while true {
            try skipBlanks()
            if take("}") { return members }
            let start = line
            let key = try key()
            path.append(path.isEmpty ? key : ".\(key)")
            if let first = members.first(where: { $0.key == key }) {
                problems.append(
                    problem("the key is given twice, first in line \(first.line); remove one of the two", line: start))
            }
            try expect(":", "':' after the key")
            members.append(Node.Member(key: key, line: start, value: try value()))
            path.removeLast()
            try skipBlanks()
            if peek != UInt8(ascii: "}") { try expect(",", "',' or '}'") }
        }
    }

    private mutating func elements() throws(SyntaxError) -> [Node] {
        var elements: [Node] = []
        position += 1
        while true {
            try skipBlanks()
            if take("]") { return elements }
            path.append("[\(elements.count)]")
            elements.append(try value())
            path.removeLast()
            try skipBlanks()
            if peek != UInt8(ascii: "]") { try expect(",", "',' or ']'") }
        }
    }

    private mutating func key() throws(SyntaxError) -> String {
        if peek == UInt8(ascii: "\"") || peek == UInt8(ascii: "'") { return try string() }
        let text = run { $0.isWord }
        guard !text.isEmpty else { throw failure("expected a key or '}', found \(found)") }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func string() throws(SyntaxError) -> String {
        let (startLine, quote) = (line, bytes[position])
        var text = [quote]
        position += 1
        while let byte = peek, byte != quote, byte != UInt8(ascii: "\n") {
            if skipContinuation() { continue }
            let count = byte == UInt8(ascii: "\\") ? 2 : 1
            text += bytes[position..<min(position + count, bytes.count)]
            position = min(position + count, bytes.count)
        }
        guard peek == quote else { throw failure("expected the closing quote of the text", line: startLine) }
        position += 1
        guard let text = decode(String.self, text + [quote]) else {
            throw failure(
                "the text has an escape that JSON5 does not have; write \\\\ for a backslash", line: startLine)
        }
        return text
    }

    /// Skips a backslash and the line end after it, which are not part of the text. Returns false if there are none.
    /// The decoder would keep the line end.
    private mutating func skipContinuation() -> Bool {
        for continuation in ["\\\r\n", "\\\n"] where bytes[position...].starts(with: continuation.utf8) {
            position += continuation.utf8.count
            line += 1
            return true
        }
        return false
    }

    private mutating func word() throws(SyntaxError) -> Node.Content {
        let start = position
        _ = run { $0.isWord || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
        guard position > start else { throw failure("expected a value, found \(found)") }
        // An unquoted text, such as an address or a percentage, may contain further characters.
        if peek != UInt8(ascii: "/") { _ = run { !$0.endsWord } }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        switch word {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            if let number = decode(Double.self, Array(word.utf8)), number.isFinite { return .number(number) }
            problems.append(problem(isSecret ? "this is not a value; put a text into quotes" : complaint(word)))
            return .unreadable
        }
    }

    /// Returns the message about an invalid word.
    private func complaint(_ word: String) -> String {
        if decode(Double.self, Array(word.utf8)) != nil { return "'\(word)' is not a finite number; expected one" }
        let shown = word.contains("://") ? WebAddress.host(word) : word
        let instead =
            switch word.lowercased() {
            case "true", "yes", "on": "write true, or "
            case "false", "no", "off": "write false, or "
            default: word.contains(where: \.isLetter) ? "" : "write a number of digits alone, or "
            }
        return "'\(shown)' is not a value; \(instead)put a text into quotes: \"\(shown)\""
    }

    /// Whether the current value may be a password or a token, which messages never show.
    private var isSecret: Bool {
        path.contains { key in ["password", "token", "auth", "header"].contains { key.contains($0) } }
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: [UInt8]) -> Value? {
        try? decoder.decode(type, from: Data(text))
    }
}

extension Scanner {
    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private var found: String {
        guard let byte = peek else { return "the end of the file" }
        return byte > 0x20 && byte < 0x7F ? "'\(Character(Unicode.Scalar(byte)))'" : "byte \(byte)"
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar, _ what: String) throws(SyntaxError) {
        try skipBlanks()
        guard take(character) else { throw failure("expected \(what), found \(found)") }
    }

    private mutating func run(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while let byte = peek, isPart(byte) { position += 1 }
        return bytes[start..<position]
    }

    /// Skips blanks and comments.
    private mutating func skipBlanks() throws(SyntaxError) {
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                position += 1
            case 0x20, 0x09, 0x0B, 0x0C, 0x0D: position += 1
            case UInt8(ascii: "/"): try skipComment()
            default:
                // A byte order mark at the beginning of the file is allowed.
                guard position == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
                position += 3
            }
        }
    }

    private mutating func skipComment() throws(SyntaxError) {
        let start = line
        if bytes[position...].starts(with: "//".utf8) {
            _ = run { $0 != UInt8(ascii: "\n") }
        } else if bytes[position...].starts(with: "/*".utf8) {
            position += 2
            while position < bytes.count, !bytes[position...].starts(with: "*/".utf8) {
                if bytes[position] == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
            guard position < bytes.count else { throw failure("expected '*/', the end of the comment", line: start) }
            position += 2
        } else {
            throw failure("expected a value or a comment, found '/'")
        }
    }

    private func problem(_ message: String, line: Int? = nil) -> ConfigurationError.Problem {
        ConfigurationError.Problem(line: line ?? self.line, key: path.joined(), message: message)
    }

    private func failure(_ message: String, line: Int? = nil) -> SyntaxError {
        SyntaxError(problem: problem(message, line: line))
    }
}

extension UInt8 {
    /// Whether the byte can be part of an unquoted key, a number or a literal.
    fileprivate var isWord: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: false
        }
    }

    /// Whether the byte ends any word.
    fileprivate var endsWord: Bool { self <= 0x20 || ",]}{[\"'".utf8.contains(self) }
}
