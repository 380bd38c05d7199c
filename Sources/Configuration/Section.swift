internal import Spelling

/// One object of the file while it is read. It returns the values of known keys, and records problems.
///
/// A caller states the form that it expects. It gets nil if the key is absent, or if the value is wrong, which is then
/// recorded. Each problem is recorded once. A misspelt key is not reported as missing too, and nothing is concluded
/// from a value that could not be read.
package final class Section {
    private let members: [Node.Member]
    /// Whether the value is an object. If it is not, no key is reported as missing.
    private let isObject: Bool
    let line: Int
    let path: String
    private let problems: ProblemList
    private var known: Set<String> = []
    private var wrong: Set<String> = []
    private var required: [(key: String, expected: String)] = []
    /// Where keys belong that are likely to be written here.
    private var elsewhere: [String: String] = [:]

    /// Reads an object, and records unknown and missing keys.
    static func read<Value>(
        _ node: Node, path: String, problems: ProblemList, _ read: (Section) -> Value
    ) -> Value {
        let section = Section(node, path: path, problems: problems)
        defer { section.finish() }
        return read(section)
    }

    /// Reads a nested object.
    package func object<Value>(_ key: String, _ read: (Section) -> Value) -> Value? {
        node(key).map { Section.read($0, path: path(of: key), problems: problems, read) }
    }

    /// Reads a list of objects.
    package func objects<Value>(_ key: String, _ read: (Section) -> Value) -> [Value] {
        guard let node = node(key) else { return [] }
        guard case .array(let elements) = node.content else {
            reject(key, node, "found \(node.form), expected a list [ … ] of objects { … }")
            return []
        }
        return elements.enumerated().map {
            Section.read($1, path: "\(path(of: key))[\($0)]", problems: problems, read)
        }
    }

    /// Makes a section. Records a value that is not an object, and treats it as an empty one.
    private init(_ node: Node, path: String, problems: ProblemList) {
        line = node.line
        self.path = path
        self.problems = problems
        if case .object(let members) = node.content {
            self.members = members
            isObject = true
        } else {
            members = []
            isObject = false
            // The message does not show the found value, since it may be a password in place of a user and a password.
            add(node, path, "found \(node.form), expected an object { … }")
        }
    }

    /// Returns the path of a key in this section.
    func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// Records a problem of a key in this section, or of the section itself if the key is "".
    package func note(_ key: String, _ message: String) {
        wrong.insert(key)
        let line = members.first { $0.key == key }?.line ?? line
        if isObject { problems.add(line, key.isEmpty ? path : path(of: key), message) }
    }

    /// Records a warning about a key that may be meant as it is.
    func warn(_ key: String, _ message: String) {
        let line = members.first { $0.key == key }?.line ?? line
        problems.warn(line, path(of: key), message)
    }

    /// The warnings of the whole document.
    var warnings: [ConfigurationError.Problem] { problems.warnings }

    /// Records a wrong value, or a wrong part of it such as `[0]`.
    func reject(_ key: String, place: String = "", _ node: Node, _ message: String) {
        wrong.insert(key)
        add(node, path(of: key) + place, message)
    }

    /// Records a problem of one member of an object with free keys, such as labels.
    func reject(_ key: String, _ member: Node.Member, _ message: String) {
        wrong.insert(key)
        problems.add(member.line, "\(path(of: key)).\(member.key)", message)
    }

    /// Records a problem, unless the scanner has already reported the value as unreadable.
    private func add(_ node: Node, _ path: String, _ message: String) {
        if case .unreadable = node.content { return }
        problems.add(node.line, path, message)
    }

    /// Returns whether the key is in the file.
    package func has(_ key: String) -> Bool { members.contains { $0.key == key } }

    /// Returns whether the key's value is unknown although the file may give one, because the value is wrong or the key
    /// is misspelt. Nothing may be concluded from its absence.
    package func isInDoubt(_ key: String) -> Bool {
        !isObject || wrong.contains(key) || !has(key) && unknown.contains { $0.key.nearest(among: [key]) != nil }
    }

    func node(_ key: String) -> Node? {
        known.insert(key)
        return members.first { $0.key == key }?.value
    }

    /// Requires a key. Its absence is recorded at the end, when misspelt keys are known.
    package func require(_ key: String, _ expected: String) {
        known.insert(key)
        if isObject, !has(key) { required.append((key, expected)) }
    }

    /// Names the place of keys that are known, but not here.
    ///
    /// - Parameter place: The end of a sentence, such as "it is a key of `exports`".
    func expect(_ keys: [String], elsewhere place: String) { for key in keys { elsewhere[key] = place } }

    /// The keys that no reader has read.
    private var unknown: [Node.Member] { members.filter { !known.contains($0.key) } }

    /// Records every unknown key and every missing required key. Called last.
    private func finish() {
        let names = known.sorted()
        let absent = names.filter { !has($0) }
        var meant: Set<String> = []
        for member in unknown {
            let keys = "keys known here are \(names.map { "`\($0)`" }.listed("and"))"
            if let place = elsewhere[member.key] {
                problems.add(member.line, path(of: member.key), "unknown key here; \(place)")
            } else if let name = member.key.nearest(among: absent) ?? member.key.nearest(among: names) {
                meant.insert(name)
                problems.add(
                    member.line, path(of: member.key), "unknown key; did you mean `\(name)`? The \(keys)")
            } else {
                problems.add(member.line, path(of: member.key), "unknown key; the \(keys)")
            }
        }
        for (key, expected) in required where !meant.contains(key) {
            problems.add(line, path(of: key), "is missing; expected \(expected)")
        }
    }
}

/// The problems found so far.
final class ProblemList {
    private(set) var all: [ConfigurationError.Problem] = []
    /// Settings that are valid but may not be meant.
    private(set) var warnings: [ConfigurationError.Problem] = []

    func warn(_ line: Int, _ key: String, _ message: String) {
        warnings.append(ConfigurationError.Problem(line: line, key: key, message: message))
    }

    func add(_ line: Int, _ key: String, _ message: String) {
        all.append(ConfigurationError.Problem(line: line, key: key, message: message))
    }
}
