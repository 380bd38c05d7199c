/// A scrape in Prometheus' text format 0.0.4, read strictly.
///
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format)
struct Exposition {
    struct Malformed: Error, CustomStringConvertible {
        let line: String
        var description: String { "malformed line in a scrape: \(line)" }
    }

    struct Sample {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    /// Series that were read before, by the text of their lines. So scrapes after the first need not be parsed again.
    final class Catalogue {
        fileprivate var series: [Substring: (name: String, labels: [String: String])] = [:]
    }

    /// TYPE by family.
    private(set) var types: [String: String] = [:]
    /// Each line's value, by the text of the series.
    private(set) var values: [Substring: Double] = [:]
    private let catalogue: Catalogue

    /// - Throws: ``Malformed`` for anything that the format does not allow.
    init(_ bytes: [UInt8], _ catalogue: Catalogue = Catalogue()) throws {
        self.catalogue = catalogue
        guard let text = String(validating: bytes, as: UTF8.self), text.utf8.last == UInt8(ascii: "\n") else {
            throw Malformed(line: "no UTF-8, or no end of the last line")
        }
        for line in text.utf8.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            try read(Substring(line))
        }
    }

    private mutating func read(_ line: Substring) throws {
        guard line.utf8.first == UInt8(ascii: "#") else { return try readSample(line) }
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "#", words[1] == "HELP" || words[1] == "TYPE" else {
            throw Malformed(line: String(line))
        }
        guard words[1] == "TYPE" else { return }
        guard types.updateValue(String(words[3]), forKey: String(words[2])) == nil else {
            throw Malformed(line: String(line))
        }
    }

    private mutating func readSample(_ line: Substring) throws {
        guard let space = line.utf8.lastIndex(of: UInt8(ascii: " ")),
            let value = Double(line[line.utf8.index(after: space)...]),
            isSeries(line[..<space]), values.updateValue(value, forKey: line[..<space]) == nil
        else { throw Malformed(line: String(line)) }
    }

    private func isSeries(_ text: Substring) -> Bool {
        if catalogue.series[text] != nil { return true }
        let name = text.utf8.prefix { $0 != UInt8(ascii: "{") }
        let labels = name.endIndex == text.endIndex ? [:] : Self.labels(text)
        guard Self.isName(name, mayHoldColon: true), let labels else { return false }
        catalogue.series[text] = (String(Substring(name)), labels)
        return true
    }

    private static func isName(_ name: Substring.UTF8View, mayHoldColon: Bool) -> Bool {
        guard let first = name.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return name.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || $0 == UInt8(ascii: "_")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || mayHoldColon && $0 == UInt8(ascii: ":")
        }
    }

    /// Returns the labels in a series' braces; nil if they are not well formed.
    private static func labels(_ series: Substring) -> [String: String]? {
        var rest = series.utf8.drop { $0 != UInt8(ascii: "{") }.dropFirst()
        var labels: [String: String] = [:]
        while true {
            let name = rest.prefix { $0 != UInt8(ascii: "=") }
            rest = rest.dropFirst(name.count)
            guard isName(name, mayHoldColon: false), rest.popFirst() != nil, rest.popFirst() == UInt8(ascii: "\""),
                let value = takeValue(&rest), labels.updateValue(value, forKey: String(Substring(name))) == nil
            else { return nil }
            let separator = rest.popFirst()
            if separator == UInt8(ascii: "}") { return rest.isEmpty ? labels : nil }
            guard separator == UInt8(ascii: ",") else { return nil }
        }
    }

    /// Reads up to the closing quote, and removes the escapes.
    private static func takeValue(_ rest: inout Substring.UTF8View) -> String? {
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(validating: value, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): value.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "\\"): value.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "\""): value.append(UInt8(ascii: "\""))
            default: return nil
            }
        }
        return nil
    }
}

extension Exposition {
    /// Every sample, with its labels parsed.
    var samples: [Sample] {
        values.compactMap { text, value in
            catalogue.series[text].map { Sample(name: $0.name, labels: $0.labels, value: value) }
        }
    }

    /// The values that may only grow: counters, and the counts and buckets of histograms and summaries.
    var countedValues: [Substring: Double] {
        values.filter { text, _ in
            guard let name = catalogue.series[text]?.name else { return false }
            if types[name] == "counter" { return true }
            return ["_bucket", "_count"].contains { suffix in
                name.hasSuffix(suffix) && ["histogram", "summary"].contains(types[String(name.dropLast(suffix.count))])
            }
        }
    }
}

extension [Exposition.Sample] {
    /// Returns the one value of a name and labels; nil if there is none.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        first { $0.name == name && $0.labels == labels }?.value
    }
}
