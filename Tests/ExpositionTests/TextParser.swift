/// A strict reader of text format 0.0.4 for tests. It refuses everything that the format's description does not allow.
struct ParsedExposition {
    struct Sample: Hashable {
        var name: String
        var labels: [String: String]
        var value: String
    }

    struct Malformed: Error, CustomStringConvertible {
        let line: String
        var description: String { "malformed: \(line)" }
    }

    var samples: [Sample] = []
    /// Family name to TYPE, in the order of the lines.
    var types: [(name: String, type: String)] = []
    var helps: [String: String] = [:]
    /// For each sample, the family to whose lines it belongs.
    var families: [String] = []

    init(_ bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.last == "\n" else {
            throw Malformed(line: "no UTF-8 or no line end")
        }
        for line in text.unicodeScalars.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            try read(String(line))
        }
    }

    func type(_ name: String) -> String? { types.first { $0.name == name }?.type }

    func value(_ name: String, _ labels: [String: String]) -> String? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    private mutating func read(_ line: String) throws {
        let words = line.unicodeScalars.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            .map(String.init)
        if line.hasPrefix("# TYPE "), words.count == 4 {
            guard type(words[2]) == nil else { throw Malformed(line: line) }
            types.append((words[2], words[3]))
        } else if line.hasPrefix("# HELP "), words.count == 4 {
            guard helps[words[2]] == nil, type(words[2]) == nil else { throw Malformed(line: line) }
            helps[words[2]] = words[3]
        } else {
            try readSample(line)
        }
    }

    private mutating func readSample(_ line: String) throws {
        var rest = line.unicodeScalars[...]
        let name = take(&rest) { isNameScalar($0) || $0 == ":" }
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest.removeFirst()
            repeat {
                let (label, value) = try takeLabel(&rest, line)
                guard labels.updateValue(value, forKey: label) == nil else { throw Malformed(line: line) }
                guard let separator = rest.popFirst(), ",}".unicodeScalars.contains(separator) else {
                    throw Malformed(line: line)
                }
                if separator == "}" { break }
            } while true
        }
        guard !name.isEmpty, !("0"..."9").contains(name.unicodeScalars.first!), rest.popFirst() == " " else {
            throw Malformed(line: line)
        }
        let value = String(rest)
        guard Double(value) != nil || ["+Inf", "-Inf", "NaN"].contains(value) else { throw Malformed(line: line) }
        samples.append(Sample(name: name, labels: labels, value: value))
        families.append(types.last?.name ?? "")
    }

    private func takeLabel(
        _ rest: inout Substring.UnicodeScalarView, _ line: String
    ) throws -> (name: String, value: String) {
        let name = take(&rest, while: isNameScalar)
        guard !name.isEmpty, !("0"..."9").contains(name.unicodeScalars.first!), rest.popFirst() == "=",
            rest.popFirst() == "\""
        else { throw Malformed(line: line) }
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            guard scalar == "\\" else {
                value.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "n": value.append("\n")
            case "\\": value.append("\\")
            case "\"": value.append("\"")
            default: throw Malformed(line: line)
            }
        }
        return (name, String(value))
    }

    private func take(
        _ rest: inout Substring.UnicodeScalarView, while isWanted: (Unicode.Scalar) -> Bool
    ) -> String {
        let taken = rest.prefix(while: isWanted)
        rest = rest.dropFirst(taken.count)
        return String(taken)
    }

    private func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}
