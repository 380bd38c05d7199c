/// Writes JSON (RFC 8259) from its beginning to its end, without building a tree first.
///
/// The caller opens and closes in the right order; commas come by themselves. Cost: no allocation but the bytes.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(capacity: Int = 4096) {
        bytes.reserveCapacity(capacity)
    }

    /// `{ … }`, the body writing members.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        enclosed("{", "}", body)
    }

    /// `[ … ]`, the body writing elements.
    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        enclosed("[", "]", body)
    }

    /// The name of the member whose value is written next.
    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func null() { element { $0.append("null") } }

    package mutating func bool(_ value: Bool) { element { $0.append(value ? "true" : "false") } }

    package mutating func integer(_ value: some FixedWidthInteger) { element { $0.append(decimal: value) } }

    /// The shortest text that reads back as the same number; null for nil, infinities and NaN, which JSON lacks.
    package mutating func number(_ value: Double?) {
        guard let value, value.isFinite else { return null() }
        element { $0.append(finite: value) }
    }

    /// A member that is a number. One that is infinite or NaN is null, and the member `NAME_text` beside it says which:
    /// `+Inf`, `-Inf` or `NaN`.
    package mutating func number(_ name: String, _ value: Double?) {
        key(name)
        number(value)
        guard let value, !value.isFinite else { return }
        key(name + "_text")
        string(value.nonFiniteText)
    }

    /// Nanoseconds as seconds with nine decimals: a Double would lose the last two digits of a time of our days.
    package mutating func seconds(nanoseconds: Int64) {
        element { bytes in
            if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
            let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
            bytes.append(decimal: seconds)
            bytes.append(UInt8(ascii: "."))
            // The leading 1 keeps the zeros after the point.
            let start = bytes.count
            bytes.append(decimal: rest + 1_000_000_000)
            bytes.remove(at: start)
        }
    }

    package mutating func string(_ text: String) {
        element { bytes in
            bytes.append(UInt8(ascii: "\""))
            if text.utf8.contains(where: \.needsJSONEscape) {
                for byte in text.utf8 { bytes.append(jsonEscaped: byte) }
            } else {
                bytes.append(text)
            }
            bytes.append(UInt8(ascii: "\""))
        }
    }

    private mutating func element(_ write: (inout [UInt8]) -> Void) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        write(&bytes)
        needsComma = true
    }

    private mutating func enclosed(_ open: String, _ close: String, _ body: (inout JSONWriter) -> Void) {
        element { $0.append(open) }
        needsComma = false
        body(&self)
        bytes.append(close)
        needsComma = true
    }
}

extension UInt8 {
    fileprivate var needsJSONEscape: Bool {
        self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
    }
}

extension [UInt8] {
    fileprivate mutating func append(jsonEscaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case 0..<0x20: append("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))")
        default: append(byte)
        }
    }
}
