internal import Rules
package import Series

/// One object of the file while it is read: takes out what is expected, and notes what is not.
///
/// Each reader of a key says what it expects; nil means that the key is not there, or is wrong and was noted.
package final class Section {
    private let members: [Node.Member]
    let line: Int
    let path: String
    package let problems: ProblemList
    private var known: Set<String> = []

    /// Notes a node that is no object; nothing is in it then.
    package init(_ node: Node, path: String, problems: ProblemList) {
        if case .object(let members) = node.content {
            self.members = members
        } else {
            members = []
            problems.add(node.line, path, "found \(node.kind), expected an object { … }")
        }
        line = node.line
        self.path = path
        self.problems = problems
    }

    /// The path of a key in this section.
    package func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    package func note(_ key: String, _ message: String) {
        let line = members.first { $0.key == key }?.line ?? line
        problems.add(line, path(of: key), message)
    }

    /// Whether the key is in the file.
    package func has(_ key: String) -> Bool { members.contains { $0.key == key } }

    package func node(_ key: String) -> Node? {
        known.insert(key)
        return members.first { $0.key == key }?.value
    }

    /// Notes every key that nobody asked for. Called last.
    package func finish() {
        for member in members where !known.contains(member.key) {
            let expected = known.sorted().joined(separator: ", ")
            problems.add(member.line, path(of: member.key), "is no key here; expected one of \(expected)")
        }
    }

    /// Takes a value of one form, or notes what was expected.
    func value<Value>(_ key: String, expected: String, _ read: (Node.Content) -> Value?) -> Value? {
        guard let node = node(key) else { return nil }
        if let value = read(node.content) { return value }
        problems.add(node.line, path(of: key), "found \(node.kind), expected \(expected)")
        return nil
    }

    /// Notes that a key which must be there is not.
    package func require(_ key: String, _ expected: String) {
        if !has(key) { problems.add(line, path(of: key), "is missing; expected \(expected)") }
    }
}

/// What was found wrong so far.
package final class ProblemList {
    private(set) var all: [ConfigurationError.Problem] = []

    func add(_ line: Int, _ key: String, _ message: String) {
        all.append(ConfigurationError.Problem(line: line, key: key, message: message))
    }
}

extension Section {
    package func text(_ key: String, expected: String) -> String? {
        value(key, expected: expected) { if case .text(let text) = $0, !text.isEmpty { text } else { nil } }
    }

    package func bool(_ key: String) -> Bool? {
        value(key, expected: "true or false") { if case .bool(let value) = $0 { value } else { nil } }
    }

    func glob(_ key: String) -> Glob? { text(key, expected: "a name or a pattern with * and ?").map { Glob($0) } }

    package func number(_ key: String, expected: String, _ isGood: (Double) -> Bool = { _ in true }) -> Double? {
        value(key, expected: expected) {
            if case .number(let number) = $0, isGood(number) { number } else { nil }
        }
    }

    /// Nanoseconds.
    func duration(_ key: String, expected: String, _ isGood: (Int64) -> Bool = { $0 > 0 }) -> Int64? {
        value(key, expected: expected) {
            if case .text(let text) = $0, let value = DurationText.nanoseconds(text), isGood(value) {
                value
            } else {
                nil
            }
        }
    }

    /// A list of values, each read on its own; nil where one of them is wrong and was noted.
    func list<Value>(_ key: String, expected: String, _ read: (Node.Content) -> Value?) -> [Value]? {
        guard let node = node(key) else { return nil }
        guard case .array(let elements) = node.content else {
            problems.add(
                node.line, path(of: key), "found \(node.kind), expected a list [ … ] of which each is \(expected)")
            return nil
        }
        let values = elements.enumerated().compactMap { index, element -> Value? in
            if let value = read(element.content) { return value }
            problems.add(element.line, "\(path(of: key))[\(index)]", "found \(element.kind), expected \(expected)")
            return nil
        }
        return values.count == elements.count ? values : nil
    }

    /// A list of objects.
    package func sections(_ key: String) -> [Section] {
        guard let node = node(key) else { return [] }
        guard case .array(let elements) = node.content else {
            problems.add(node.line, path(of: key), "found \(node.kind), expected a list [ … ] of objects")
            return []
        }
        return elements.enumerated().map {
            Section($1, path: "\(path(of: key))[\($0)]", problems: problems)
        }
    }

    /// An object of texts: labels and their values.
    package func labels(_ key: String) -> [Label]? {
        guard let node = node(key) else { return nil }
        guard case .object(let members) = node.content else {
            problems.add(node.line, path(of: key), "found \(node.kind), expected labels { name: \"value\", … }")
            return nil
        }
        return members.compactMap { member in
            let path = "\(path(of: key)).\(member.key)"
            guard member.key.isLabelName else {
                problems.add(member.line, path, "is no label name; expected letters, digits and _, no digit first")
                return nil
            }
            if case .text(let text) = member.value.content { return Label(member.key, text) }
            problems.add(member.value.line, path, "found \(member.value.kind), expected a text in quotes")
            return nil
        }.sorted()
    }
}

extension String {
    /// `[a-zA-Z_][a-zA-Z0-9_]*`
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
