internal import Rules
package import Series
internal import Spelling

/// Readers for the value of one key.
extension Section {
    /// Reads a value of one form. Records a wrong one with the expected form.
    ///
    /// - Parameter names: The accepted texts, if they are few. A message suggests the nearest.
    func value<Value>(
        _ key: String, expected: String, names: [String] = [], _ read: (Node.Content) -> Value?
    ) -> Value? {
        guard let node = node(key) else { return nil }
        if let value = read(node.content) { return value }
        reject(key, node, node.mismatch(expected, names))
        return nil
    }

    /// Reads a list, each value on its own. Returns nil, and records problems, if values are wrong.
    func list<Value>(
        _ key: String, expected: String, names: [String] = [], _ read: (Node.Content) -> Value?
    ) -> [Value]? {
        guard let node = node(key) else { return nil }
        guard case .array(let elements) = node.content else {
            reject(key, node, "found \(node.kind), expected a list [ … ] of which each entry is \(expected)")
            return nil
        }
        let values = elements.enumerated().compactMap { index, element -> Value? in
            if let value = read(element.content) { return value }
            reject(key, place: "[\(index)]", element, element.mismatch(expected, names))
            return nil
        }
        return values.count == elements.count ? values : nil
    }

    package func text(_ key: String, expected: String) -> String? {
        value(key, expected: expected) { if case .text(let text) = $0, !text.isEmpty { text } else { nil } }
    }

    package func bool(_ key: String) -> Bool? {
        value(key, expected: unquoted(key, "true or false")) { if case .bool(let value) = $0 { value } else { nil } }
    }

    package func number(_ key: String, expected: String, _ isGood: (Double) -> Bool) -> Double? {
        value(key, expected: unquoted(key, expected)) {
            if case .number(let number) = $0, isGood(number) { number } else { nil }
        }
    }

    /// Returns the expected form of a value that has no quotes. Says so if a text was found.
    private func unquoted(_ key: String, _ expected: String) -> String {
        node(key)?.content.text == nil ? expected : "\(expected), without quotes"
    }

    /// Reads a whole number.
    ///
    /// - Parameter noun: The counted thing, such as `number of bytes`.
    func whole(_ key: String, _ range: ClosedRange<Int>, noun: String = "number") -> Int? {
        number(key, expected: "a whole \(noun) from \(range.lowerBound) to \(range.upperBound)") {
            $0 == $0.rounded() && (Double(range.lowerBound)...Double(range.upperBound)).contains($0)
        }.map { Int($0) }
    }

    /// Reads a duration in nanoseconds.
    func duration(_ key: String, _ bounds: DurationText.Bounds) -> Int64? {
        let length = node(key)?.content.text.flatMap { DurationText.nanoseconds($0) }
        let units = length == nil ? "; the units are \(DurationText.unitNames.listed("and"))" : ""
        return value(key, expected: bounds.expectation + units) { _ in
            length.flatMap { bounds.contains($0) ? $0 : nil }
        }
    }

    /// Reads one of an enumeration's raw values.
    package func choice<Value: CaseIterable & RawRepresentable<String>>(
        _ key: String, _ type: Value.Type
    ) -> Value? {
        let names = type.names
        return value(key, expected: names.quoted("or"), names: names) { $0.text.flatMap { type.named($0) } }
    }

    /// Reads a list of an enumeration's raw values.
    func choices<Value: CaseIterable & RawRepresentable<String>>(_ key: String, _ type: Value.Type) -> [Value]? {
        let names = type.names
        return list(key, expected: names.quoted("or"), names: names) { $0.text.flatMap { type.named($0) } }
    }

    private static let globForm = "a name or a pattern with * and ?, in quotes"

    func glob(_ key: String) -> Glob? { text(key, expected: Self.globForm).map { Glob($0) } }

    /// Reads a pattern, or a list of them.
    func globs(_ key: String) -> [Glob]? {
        switch node(key)?.content {
        case .text(let text): [Glob(text)]
        case .array: list(key, expected: Self.globForm) { $0.text.map { Glob($0) } }
        default: value(key, expected: "\(Self.globForm), or a list of them") { _ in nil }
        }
    }

    /// Reads an object of texts: labels and their values.
    package func labels(_ key: String) -> [Label]? {
        guard let node = node(key) else { return nil }
        guard case .object(let members) = node.content else {
            reject(key, node, "found \(node.kind), expected labels { name: \"value\", … }")
            return nil
        }
        return members.compactMap { member in
            guard member.key.isLabelName else {
                reject(key, member, "\"\(member.key)\" is not a label's name; expected \(String.labelNameForm)")
                return nil
            }
            if case .text(let text) = member.value.content { return Label(member.key, text) }
            reject(key, place: ".\(member.key)", member.value, member.value.mismatch("a text in quotes"))
            return nil
        }.sorted()
    }
}

extension Node {
    /// Returns a message with the found and the expected value.
    fileprivate func mismatch(_ expected: String, _ names: [String] = []) -> String {
        let near = content.text?.nearest(among: names).map { "; did you mean \"\($0)\"?" } ?? ""
        return "found \(kind), expected \(expected)\(near)"
    }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// The raw values that a file may use.
    fileprivate static var names: [String] { allCases.map(\.rawValue).filter { !$0.isEmpty } }

    fileprivate static func named(_ text: String) -> Self? { text.isEmpty ? nil : Self(rawValue: text) }
}

extension String {
    static let labelNameForm = "letters, digits and _, and no digit at its beginning"

    /// Whether the text has the form `[a-zA-Z_][a-zA-Z0-9_]*`.
    var isLabelName: Bool {
        guard let first = utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

extension [String] {
    /// Returns the words as in `a, b or c`.
    func listed(_ word: String) -> String {
        count < 2 ? joined() : "\(dropLast().joined(separator: ", ")) \(word) \(self[count - 1])"
    }

    /// Returns the words as in `"a", "b" or "c"`.
    func quoted(_ word: String) -> String { map { "\"\($0)\"" }.listed(word) }
}
