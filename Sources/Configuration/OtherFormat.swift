/// Detects files that are not JSON5 at all.
enum OtherFormat {
    /// Returns the problem of a file that is empty or not UTF-8 text; nil if there is none.
    static func problem(of bytes: [UInt8]) -> ConfigurationError.Problem? {
        let whole = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
        if whole.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) {
            return problem("the file is empty; expected at least {}")
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return problem("the file is a text in UTF-16; save it as UTF-8")
        }
        if bytes.contains(where: { $0 < 0x20 && !(0x09...0x0D).contains($0) }) {
            return problem("the file is binary; expected a text in JSON5")
        }
        var (decoder, rest, length) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator(), 0)
        while true {
            switch decoder.parseScalar(from: &rest) {
            case .valid(let scalar): length += scalar.count
            case .emptyInput: return nil
            case .error:
                let line = 1 + bytes[..<length].count { $0 == UInt8(ascii: "\n") }
                let byte = "0x" + String(bytes[length], radix: 16, uppercase: true)
                return problem("byte \(byte) is not UTF-8; save the file as UTF-8", line: line)
            }
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func problem(_ message: String, line: Int = 1) -> ConfigurationError.Problem {
        ConfigurationError.Problem(line: line, key: "", message: message)
    }

    /// Returns the name of the format in which a text seems to be; nil if it seems to be in no known one.
    ///
    /// The first line decides that is neither blank nor a comment (`#` or `;`).
    static func name(_ text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
        guard let line = lines.first(where: { !$0.isEmpty && $0.first != "#" && $0.first != ";" }) else { return nil }
        if ["---", "%YAML", "- "].contains(where: { line.hasPrefix($0) }) { return "YAML" }
        if line.hasPrefix("<") { return "XML" }
        if line.hasPrefix("[") {
            // A section's name has no quotes and ends its line.
            let name = line.drop { $0 == "[" }.prefix { $0 != "]" }
            let rest = line[name.endIndex...].drop { $0 == "]" }.drop(while: \.isWhitespace)
            let isName =
                name.first?.isLetter == true && name.allSatisfy { $0.isLetter || $0.isNumber || "._- ".contains($0) }
            return isName && (rest.isEmpty || rest.first == "#" || rest.first == ";") ? "TOML or INI" : nil
        }
        let key = line.prefix { $0.isLetter || $0.isNumber || "_-.\"'".contains($0) }
        let rest = line[key.endIndex...].drop(while: \.isWhitespace)
        guard !key.isEmpty else { return nil }
        return rest.first == "=" ? "TOML or INI" : rest.first == ":" ? "YAML" : nil
    }
}
