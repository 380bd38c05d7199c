/// Shortens the titles of instruments so that they stay different from each other.
///
/// A title that has no room loses the names of its labels, then the values that all instruments of the table share, then the
/// ends of its words, the longest first, and at last its middle.
struct ShortTitle {
    /// The name without its unit, which stands in a column of its own.
    private let stem: String
    private let labels: [(name: String, value: String)]
    private let telling: [String]

    /// The letters of a word that always stay.
    private static let leastLetters = 3

    /// - Parameter shared: The names of labels that have one value in the whole table.
    init(_ metric: CollectorView.Metric, shared: Set<String>) {
        let suffix = metric.unit.isEmpty ? "" : "_\(metric.unit)"
        let name = metric.name
        stem = (name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name).printable
        labels = metric.labels.sorted { $0.key < $1.key }.map { ($0.key.printable, $0.value.printable) }
        telling = labels.filter { !shared.contains($0.name) }.map(\.value)
    }

    /// Returns the names of labels that have one value in all instruments that have them, if there are several.
    static func shared(_ metrics: [CollectorView.Metric]) -> Set<String> {
        guard metrics.count > 1 else { return [] }
        var values: [String: Set<String>] = [:]
        for metric in metrics { for (name, value) in metric.labels { values[name, default: []].insert(value) } }
        return Set(values.filter { $0.value.count == 1 }.map(\.key.printable))
    }

    /// The whole title.
    var whole: String { ([stem] + labels.map { "\($0.name)=\($0.value)" }).joined(separator: " ") }

    /// Returns the title in as many cells at most.
    func text(within width: Int) -> String {
        for title in [whole, ([stem] + labels.map(\.value)).joined(separator: " ")] where title.cells <= width {
            return title
        }
        let words = stem.split(separator: "_").map(String.init)
        let ends = telling.map { " \($0)" }.joined()
        let longest = words.map(\.count).max() ?? 0
        for letters in stride(from: longest, through: Self.leastLetters, by: -1) {
            let title = words.map { $0.prefix(letters) }.joined(separator: "_") + ends
            if title.cells <= width { return title }
        }
        let least = words.map { $0.prefix(Self.leastLetters) }.joined(separator: "_") + ends
        return least.fitted(to: width)
    }
}
