internal import Configuration
internal import Glibc
internal import Ringside

/// A mapping of columns in JSON5.
enum MappingFile {
    /// - Throws: `ConfigurationError` with everything that is wrong with it, by line and key.
    static func read(_ path: String) throws -> ImportMapping {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("open", path, errno: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while case let count = Glibc.read(descriptor, &piece, piece.count), count > 0 { bytes += piece.prefix(count) }
        return try parse(bytes, file: path)
    }

    static func parse(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> ImportMapping {
        try Document.read(bytes, file: file) { root in
            root.require("columns", "a list of columns and their instruments")
            let time = root.section("time").map { ImportMapping.Time($0) }
            let delimiter = root.text("delimiter", expected: delimiterExpectation)
            if let delimiter, !isDelimiter(delimiter) {
                root.note("delimiter", "found \"\(delimiter)\", expected \(delimiterExpectation)")
            }
            let sections = root.sections("columns")
            let rules = sections.map { ColumnRule($0) }
            noteDoubles(rules, sections)
            root.finish()
            return ImportMapping(
                time: time, delimiter: delimiter?.utf8.first ?? UInt8(ascii: ","), rules: rules)
        }
    }

    private static let delimiterExpectation =
        "one character that stands between fields, such as \";\", and no digit or quote"

    private static func isDelimiter(_ text: String) -> Bool {
        guard text.utf8.count == 1, let byte = text.utf8.first else { return false }
        return !"0123456789+-.eE\"\n\r ".utf8.contains(byte)
    }

    private static func noteDoubles(_ rules: [ColumnRule], _ sections: [Section]) {
        for (index, rule) in rules.enumerated() where rules[..<index].contains(where: { $0.series == rule.series }) {
            sections[index].note("name", "\(rule.series) is fed by two columns; expected one for each series")
        }
    }
}

extension ImportMapping.Time {
    fileprivate init(_ section: Section) {
        section.require("column", "the name of the column with the source's time")
        section.require("unit", "ns, us, ms or s since 1970")
        self.init(
            column: section.text("column", expected: "a column's name") ?? "",
            unit: section.choice("unit", ImportMapping.TimeUnit.self) ?? .nanoseconds)
        section.finish()
    }
}

extension ColumnRule {
    private enum Kind: String, CaseIterable {
        case counter, gauge, histogram
    }

    private enum Values: String, CaseIterable {
        case cumulative, delta
    }

    fileprivate init(_ section: Section) {
        for (key, expected) in [
            ("column", "the name of a column"), ("name", "the instrument's name"),
            ("kind", "counter, gauge or histogram"),
            ("help", "one sentence for people"),
        ] {
            section.require(key, expected)
        }
        let kind = section.choice("kind", Kind.self) ?? .gauge
        let values = section.choice("values", Values.self)
        if values != nil, kind != .counter {
            section.note("values", "stands at a \(kind.rawValue); expected at counters alone")
        }
        let form: Form =
            switch kind {
            case .counter: values == .delta ? .increments : .cumulative
            case .gauge: .gauge
            case .histogram: .samples
            }
        let scale = section.number("scale", expected: "a number that is not 0, more than 0 at a counter") {
            kind == .counter ? $0 > 0 : $0 != 0
        }
        self.init(
            column: section.text("column", expected: "a column's name") ?? "",
            name: section.text("name", expected: "an instrument's name") ?? "",
            unit: section.choice("unit", MetricUnit.self) ?? .none,
            help: section.text("help", expected: "one sentence in quotes") ?? "",
            labels: Dictionary(
                (section.labels("labels") ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
            form: form, scale: scale ?? 1,
            isFractional: kind == .counter && (section.bool("fractional") ?? false || scale ?? 1 != 1),
            dividedBy: section.text("divided_by", expected: "a column's name"))
        if dividedBy != nil, kind == .counter {
            section.note("divided_by", "stands at a counter; expected at gauges and histograms alone")
        }
        checkName(section)
        section.finish()
    }

    /// The library's own rules, by the library itself: here they have a line and a key.
    private func checkName(_ section: Section) {
        guard section.has("name"), !name.isEmpty else { return }
        let nowhere = Telemetry.disabled()
        let labels = Labels(labels)
        do throws(RegistrationError) {
            switch form {
            case .cumulative, .increments: _ = try nowhere.counter(name, unit: unit, help: help, labels: labels)
            case .gauge: _ = try nowhere.gauge(name, unit: unit, help: help, labels: labels)
            case .samples: _ = try nowhere.histogram(name, unit: unit, help: help, labels: labels)
            }
        } catch {
            let key =
                switch error.reason {
                case .invalidLabel: "labels"
                case .invalidHelp: "help"
                default: "name"
                }
            section.note(key, error.description)
        }
    }
}

extension Section {
    /// One of an enumeration's raw values.
    fileprivate func choice<Value: CaseIterable & RawRepresentable<String>>(
        _ key: String, _ type: Value.Type
    ) -> Value? {
        let names = Value.allCases.map(\.rawValue).filter { !$0.isEmpty }.joined(separator: ", ")
        guard let text = text(key, expected: "one of \(names)") else { return nil }
        if let value = Value(rawValue: text) { return value }
        note(key, "found \"\(text)\", expected one of \(names)")
        return nil
    }

    /// An object in this one.
    fileprivate func section(_ key: String) -> Section? {
        node(key).map { Section($0, path: path(of: key), problems: problems) }
    }
}
