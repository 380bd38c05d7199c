internal import Arguments
internal import RingReader

/// A sampling ratio as typed, and the 1-in-N that it becomes.
struct SamplingRatio: Sendable {
    /// 1 to 65,535.
    let n: UInt32
    /// The text as typed, if 1/N is another share; else nil.
    let roundedFrom: String?

    /// `1/N`, or a percentage, which becomes the nearest 1/N.
    static let reader = ValueReader<SamplingRatio>(
        expecting: "1/N with N from 1 to 65535, or a percentage such as 10% above 0% (--disable writes nothing)"
    ) { text in
        if text.hasPrefix("1/") {
            let digits = text.dropFirst(2)
            guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let n = UInt32(digits), (1...65535).contains(n)
            else { return nil }
            return SamplingRatio(n: n, roundedFrom: nil)
        }
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent > 0, percent <= 100 else {
            return nil
        }
        let n = UInt32(min(max((100 / percent).rounded(), 1), 65535))
        return SamplingRatio(n: n, roundedFrom: (percent * Double(n) - 100).magnitude < 1e-9 ? nil : text)
    }

    /// The remark on the rounding; nil if the ratio is exactly the typed one.
    var remark: String? {
        roundedFrom.map { "\($0) is set as 1/\(n), which is \(Figures.real(100 / Double(n)))%" }
    }
}

/// A selection of metrics: `name`, or `name{label=value}` for those that have all of these labels.
struct MetricSelector: Sendable {
    let text: String
    let name: String
    let labels: [(name: String, value: String)]

    static let reader = ValueReader<MetricSelector>(
        expecting: "a metric's name, or name{label=value,label=value}; a value may stand in quotes"
    ) { MetricSelector($0) }.naming(.metrics)

    private init?(_ text: String) {
        let name = text.prefix { $0 != "{" }
        guard !name.isEmpty, let labels = Self.labels(in: text[name.endIndex...]) else { return nil }
        self.text = text
        self.name = String(name)
        self.labels = labels
    }

    func matches(_ metric: Metric) -> Bool {
        metric.name == name
            && labels.allSatisfy { label in
                metric.labels.contains { $0.name == label.name && $0.value == label.value }
            }
    }

    /// Reads `{a=b,c="d"}`, or an empty text.
    private static func labels(in text: Substring) -> [(name: String, value: String)]? {
        guard !text.isEmpty else { return [] }
        guard text.first == "{", text.last == "}", text.count > 2 else { return nil }
        var rest = text.dropFirst().dropLast()
        var labels: [(name: String, value: String)] = []
        while true {
            let name = rest.prefix { $0 != "=" && $0 != "," }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.popFirst() == "=", let value = takeValue(from: &rest) else { return nil }
            labels.append((String(name), value))
            guard let comma = rest.popFirst() else { return labels }
            guard comma == "," else { return nil }
        }
    }

    /// Reads a value: in quotes, with `"` and `\` escaped by `\` as the tools show it; or bare up to the next comma.
    private static func takeValue(from rest: inout Substring) -> String? {
        guard rest.first == "\"" else {
            let value = rest.prefix { $0 != "," }
            rest = rest.dropFirst(value.count)
            return String(value)
        }
        var value = ""
        rest.removeFirst()
        while let character = rest.popFirst() {
            if character == "\"" { return value }
            guard character == "\\" else {
                value.append(character)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            value.append(escaped)
        }
        return nil
    }
}
