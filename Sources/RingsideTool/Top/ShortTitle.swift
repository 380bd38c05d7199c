/// Shortens the titles of instruments so that they stay different from each other.
///
/// A title that has no room loses the names of its labels, then the values that all instruments of the table share, then
/// the ends of its words, the longest first, and at last its middle. Where that makes two titles one, both lose their ends
/// instead, or have what they differ in.
struct ShortTitle {
    /// The name without its unit, which stands in a column of its own.
    private let stem: String
    private let labels: [(name: String, value: String)]
    private let telling: [String]

    /// The letters of a word that always stay.
    private static let leastLetters = 3

    /// - Parameter shared: The names of labels that have one value in the whole table.
    init(_ metric: CollectorView.Metric, shared: Set<String>) {
        stem = metric.stem.printable
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

    /// Returns the titles in as many cells at most. Those that differ stay different, unless there is no room for it.
    static func texts(_ titles: [ShortTitle], within width: Int) -> [String] {
        var texts = titles.map { $0.text(within: width) }
        for alike in Dictionary(grouping: titles.indices, by: { texts[$0] }).values {
            let wholes = Set(alike.map { titles[$0].whole })
            guard wholes.count > 1 else { continue }
            let ends = Set(alike.map { titles[$0].withoutEnd(within: width) })
            guard ends.count < wholes.count else {
                for index in alike { texts[index] = titles[index].withoutEnd(within: width) }
                continue
            }
            let cut = distinct(Array(wholes), within: width)
            for index in alike { texts[index] = cut[titles[index].whole] ?? texts[index] }
        }
        return texts
    }

    /// Returns different titles cut to as many cells: each without its middle, or if that makes two of them one, from
    /// where they begin to differ.
    private static func distinct(_ wholes: [String], within width: Int) -> [String: String] {
        func mapped(_ cut: (String) -> String) -> [String: String] {
            Dictionary(uniqueKeysWithValues: wholes.map { ($0, cut($0)) })
        }
        let fitted = mapped { $0.cells <= width ? $0 : $0.fitted(to: width) }
        if Set(fitted.values).count == wholes.count { return fitted }
        let first = wholes.first ?? ""
        let same = wholes.map { zip($0, first).prefix { $0 == $1 }.count }.min() ?? 0
        // What is cut off is not longer than its mark.
        let cutOff = same > 1 ? same : 0
        let mark = cutOff > 0 ? "…" : ""
        let rests = mapped { mark + String($0.dropFirst(cutOff)).prefix(cells: width - mark.count) }
        let alike = Dictionary(grouping: wholes) { rests[$0] ?? "" }
        // Each group is smaller than all, or nothing more can be done.
        return alike.values.filter { $0.count > 1 && $0.count < wholes.count }.reduce(into: rests) { rests, group in
            rests.merge(distinct(group, within: width)) { $1 }
        }
    }

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
        return least.fitted(to: width)
    }

    /// The title with the fewest letters of each word that still tell what it is.
    private var least: String {
        stem.split(separator: "_").map { $0.prefix(Self.leastLetters) }.joined(separator: "_")
            + telling.map { " \($0)" }.joined()
    }

    private func withoutEnd(within width: Int) -> String {
        least.cells <= width ? least : least.prefix(cells: width - 1) + "…"
    }
}
