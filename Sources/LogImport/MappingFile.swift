internal import Configuration
internal import Platform
internal import Ringside

/// A mapping of columns in JSON5.
enum MappingFile {
    /// - Throws: `ConfigurationError` with every error in the file, by line and key.
    static func read(_ path: String) throws -> ImportMapping {
        try parse(try SmallFile.read(path), file: path)
    }

    static func parse(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> ImportMapping {
        try Document.read(bytes, file: file) { root in
            root.require("columns", "a list of columns and their instruments")
            let time = root.object("time") { ImportMapping.Time($0) }
            let delimiter = root.text("delimiter", expected: delimiterExpectation)
            if let delimiter, !isDelimiter(delimiter) {
                root.note("delimiter", "found \"\(delimiter)\", expected \(delimiterExpectation)")
            }
            var rules: [ColumnRule] = []
            _ = root.objects("columns") { section in
                rules.append(ColumnRule(section))
                noteDouble(rules, section)
            }
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

    /// Reports a column that feeds the same series as an earlier one.
    private static func noteDouble(_ rules: [ColumnRule], _ section: Section) {
        guard let last = rules.last, !last.name.isEmpty, rules.dropLast().contains(where: { $0.series == last.series })
        else { return }
        section.note("name", "\(last.series) is fed by two columns; expected one for each series")
    }
}

extension ImportMapping.Time {
    fileprivate init(_ section: Section) {
        section.require("column", "the name of the column with the source's time")
        section.require("unit", "ns, us, ms or s since 1970")
        self.init(
            column: section.text("column", expected: "a column's name") ?? "",
            unit: section.choice("unit", ImportMapping.TimeUnit.self) ?? .nanoseconds)
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
        let isKindKnown = section.has("kind") && !section.isInDoubt("kind")
        if values != nil, isKindKnown, kind != .counter {
            section.note("values", "a \(kind.rawValue) has no \"values\"; remove the key, which is for counters alone")
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
            section.note(
                "divided_by", "a counter has no divisor; remove the key, which is for gauges and histograms alone")
        }
        if isKindKnown, !section.isInDoubt("unit") { checkName(section) }
    }

    /// Checks the name with the library itself, so that the error names a line and a key.
    private func checkName(_ section: Section) {
        guard section.has("name"), !name.isEmpty else { return }
        let nowhere = Telemetry.disabled()
        let labels = Labels(labels)
        // A missing or wrong help text is noted elsewhere.
        let help = help.isEmpty ? "Help." : help
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
