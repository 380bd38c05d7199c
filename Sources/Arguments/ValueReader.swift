/// The form that a text should have had, such as `a whole number from 1 to 64`.
typealias Expectation = String

/// Parses one kind of value from the command line, and describes the accepted values.
package struct ValueReader<Value: Sendable>: Sendable {
    /// The accepted values, as the text after the word `expected`.
    let expectation: Expectation
    /// The text that the help adds to the option's own; empty if the placeholder is enough.
    let limits: String
    /// The accepted words; empty if values are not words. An error suggests the nearest.
    let words: [String]
    /// The kinds of things that values name, for completion in a shell.
    var kinds: [ValueKind] = []
    let read: @Sendable (String) -> Value?
    let show: @Sendable (Value) -> String

    /// Makes a reader for a custom value.
    ///
    /// - Parameters:
    ///   - expectation: The accepted values, as the text after the word `expected` in an error.
    ///   - limits: The text that the help adds to the option's own, such as a range.
    ///   - words: All accepted words, if they are few. An error suggests the nearest.
    ///   - show: Formats a default for the help.
    ///   - read: Returns the value, or nil for a text that is not accepted.
    package init(
        expecting expectation: String, limits: String = "", words: [String] = [],
        show: @escaping @Sendable (Value) -> String = { "\($0)" }, read: @escaping @Sendable (String) -> Value?
    ) {
        self.expectation = expectation
        self.limits = limits
        self.words = words
        self.show = show
        self.read = read
    }

    /// Returns the same reader with values that a shell completes by names of these kinds.
    package func naming(_ kinds: ValueKind...) -> ValueReader {
        var reader = self
        reader.kinds = kinds
        return reader
    }

    /// Returns the value of a text; nil if it is not accepted.
    package func value(of text: String) -> Value? { read(text) }

    private func complaint(about text: String) -> Expectation {
        expectation + (text.nearest(among: words).map { "; did you mean '\($0)'?" } ?? "")
    }

    func store(_ text: String, in place: inout Value) -> Expectation? {
        guard let value = read(text) else { return complaint(about: text) }
        place = value
        return nil
    }

    func store(_ text: String, in place: inout Value?) -> Expectation? {
        guard let value = read(text) else { return complaint(about: text) }
        place = value
        return nil
    }

    func append(_ text: String, to list: inout [Value]) -> Expectation? {
        guard let value = read(text) else { return complaint(about: text) }
        list.append(value)
        return nil
    }

    func remark(default value: Value?, more: String = "") -> String {
        let text = value.map(show) ?? ""
        let parts = [limits, text.isEmpty ? "" : "default \(text)", more]
        return parts.filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension ValueReader where Value == String {
    /// Accepts any text that is not empty.
    package static var text: ValueReader {
        ValueReader(expecting: "a text that is not empty") { $0.isEmpty ? nil : $0 }
    }

    /// Accepts the path of a file.
    package static var file: ValueReader { text.naming(.files) }

    /// Accepts the path of a folder.
    package static var folder: ValueReader { text.naming(.folders) }
}

extension ValueReader where Value: FixedWidthInteger {
    /// Accepts a whole number in decimal, within the range.
    package static func integer(in range: ClosedRange<Value>) -> ValueReader {
        let limits = describe(range.lowerBound, range.upperBound == .max ? nil : range.upperBound)
        return ValueReader(expecting: "a whole number, \(limits)", limits: limits) { text in
            Value(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Accepts a whole number in decimal, from the bound to the type's maximum.
    package static func integer(in range: PartialRangeFrom<Value>) -> ValueReader {
        integer(in: range.lowerBound ... .max)
    }
}

extension ValueReader where Value == Double {
    /// Accepts a finite number within the range, such as `2`, `0.5` or `1e-3`.
    package static func number(in range: ClosedRange<Double>) -> ValueReader {
        let limits = describe(range.lowerBound, range.upperBound == .infinity ? nil : range.upperBound)
        return ValueReader(expecting: "a number, \(limits)", limits: limits, show: shortNumber) { text in
            Double(text).flatMap { $0.isFinite && range.contains($0) ? $0 : nil }
        }
    }

    /// Accepts a finite number from the bound upwards.
    package static func number(in range: PartialRangeFrom<Double>) -> ValueReader {
        number(in: range.lowerBound ... .infinity)
    }
}

extension ValueReader where Value: CaseIterable & RawRepresentable<String> {
    /// Accepts one of the type's cases, by its raw value.
    package static var choice: ValueReader {
        let names = Value.allCases.map(\.rawValue)
        return ValueReader(
            expecting: "one of \(names.joined(separator: ", "))", limits: names.joined(separator: "|"),
            words: names, show: \.rawValue, read: Value.init(rawValue:))
    }
}

/// An address to listen on or to connect to.
package struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address, an IPv6 address without its brackets; "" means all addresses of the machine.
    package var host: String
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension ValueReader where Value == HostAndPort {
    /// Accepts `HOST:PORT`, `[IPV6]:PORT`, or `:PORT` for all addresses.
    package static var hostAndPort: ValueReader {
        ValueReader(expecting: "HOST:PORT, such as 127.0.0.1:8000, [::1]:8000 or :8000") { text in
            guard let colon = text.lastIndex(of: ":") else { return nil }
            guard let port = UInt16(text[text.index(after: colon)...]) else { return nil }
            var host = text[..<colon]
            let hasBrackets = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
            if hasBrackets { host = host.dropFirst().dropLast() }
            guard hasBrackets || !host.contains(where: { ":[]".contains($0) }) else { return nil }
            guard !host.contains(where: \.isWhitespace) else { return nil }
            return HostAndPort(host: String(host), port: port)
        }
    }
}

extension ValueReader where Value == String {
    /// Accepts the name of a host, without a port.
    package static var hostName: ValueReader {
        ValueReader(expecting: "a host's name without scheme and port, such as trader.example") { text in
            let isName = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._".utf8.contains(byte)
                }
            }
            return isName && (1...253).contains(text.utf8.count) ? text : nil
        }
    }
}

extension ValueReader where Value == String {
    /// Accepts an http or https URL without a user, arguments or a fragment. The value ends with a slash.
    package static var webURL: ValueReader {
        ValueReader(expecting: "an http:// or https:// URL, such as https://trader.example/ringside/") { text in
            guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) else {
                return nil
            }
            let rest = text.dropFirst(scheme.count)
            let isPlain = rest.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"?#@\"\\<>".utf8.contains($0) }
            guard isPlain, let first = rest.first, first != "/", first != ":" else { return nil }
            return text.hasSuffix("/") ? text : text + "/"
        }
    }
}

private func describe<Bound: Comparable>(_ lower: Bound, _ upper: Bound?) -> String {
    upper.map { "\(shortNumber(lower)) to \(shortNumber($0))" } ?? "\(shortNumber(lower)) or more"
}

/// Returns a number as text without a superfluous fraction: `1000`, not `1000.0`.
@Sendable private func shortNumber(_ value: Any) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
