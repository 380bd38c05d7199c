/// The contents of an Authorization header.
enum HTTPCredentials: Equatable, Sendable {
    case none
    case basic(user: String, password: String)
    case bearer(String)
    /// A header of another form.
    case malformed

    /// - Parameter header: The header's value; nil if there is none.
    init(_ header: String?) {
        guard let header else {
            self = .none
            return
        }
        let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        let content = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
        switch parts.first?.lowercased() {
        case "basic":
            self = Base64.decode(content.utf8).flatMap { Self($0) } ?? .malformed
        case "bearer" where !content.isEmpty: self = .bearer(String(content))
        default: self = .malformed
        }
    }

    /// Reads `user:password` in UTF-8 (RFC 7617).
    private init?(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        self = .basic(user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
    }
}

/// The encoding of RFC 4648, section 4.
enum Base64 {
    /// Returns the bytes of a text; nil if it is invalid.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let digits = text.prefix { $0 != UInt8(ascii: "=") }
        guard text.count % 4 == 0, text.count - digits.count <= 2,
            text.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        var bytes: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for digit in digits {
            guard let value = value(digit) else { return nil }
            (bits, count) = (bits << 6 | value, count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
