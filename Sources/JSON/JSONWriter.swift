/// Writes JSON (RFC 8259) sequentially, without building a tree.
///
/// The caller writes keys and values in the right order. Commas are added automatically. Cost: it allocates only for
/// the bytes.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(capacity: Int = 4096) {
        bytes.reserveCapacity(capacity)
    }

    /// Writes `{ … }`. The body writes the members.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        enclosed("{", "}", body)
    }

    /// Writes `[ … ]`. The body writes the elements.
    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        enclosed("[", "]", body)
    }

    /// Writes the name of the member whose value follows.
    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a value that is already encoded as JSON.
    package mutating func written(_ value: UnsafeRawBufferPointer) { element { $0.append(contentsOf: value) } }

    package mutating func null() { element { $0.append("null") } }

    package mutating func bool(_ value: Bool) { element { $0.append(value ? "true" : "false") } }

    package mutating func integer(_ value: some FixedWidthInteger) { element { $0.append(decimal: value) } }

    /// Writes the shortest text that reads back as the same number; null for nil, infinities and NaN, which JSON lacks.
    package mutating func number(_ value: Double?) {
        guard let value, value.isFinite else { return null() }
        element { $0.append(finite: value) }
    }

    /// Writes a member with a number. If it is infinite or NaN, it is null, and the member `NAME_text` beside it is
    /// `+Inf`, `-Inf` or `NaN`.
    package mutating func number(_ name: String, _ value: Double?) {
        key(name)
        number(value)
        guard let value, !value.isFinite else { return }
        key(name + "_text")
        string(value.nonFiniteText)
    }

    /// Writes nanoseconds as seconds with nine decimals. A Double would lose the last two digits of a present-day time.
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
