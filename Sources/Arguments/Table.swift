/// A plain text table: a header, texts to the left, numbers to the right, two blanks between columns.
package struct Table: Sendable {
    /// How a column stands, and whether it may give way.
    package struct Column: Sendable {
        let title: String
        let isNumber: Bool

        /// Texts, to the left; cut with `…` where the table is wider than it may be.
        package static func text(_ title: String) -> Column { Column(title: title, isNumber: false) }
        /// Numbers, to the right; never cut, since a part of a number is another number.
        package static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
    }

    let columns: [Column]
    private var rows: [[String]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row; cells that are missing are empty, cells too many are left out.
    package mutating func append(_ cells: [String]) {
        let missing = max(0, columns.count - cells.count)
        rows.append(cells.prefix(columns.count) + Array(repeating: "", count: missing))
    }

    /// The table in lines, each ended and without blanks at its end.
    ///
    /// - Parameter width: What a line may take, in columns; nil for no limit. Where numbers alone take more, lines are
    ///   longer than that.
    package func rendered(width: Int? = Terminal.columns) -> String {
        let lines = [columns.map(\.title)] + rows
        let widths = fitted(columns.indices.map { column in lines.map { $0[column].count }.max()! }, to: width)
        return lines.map { line(of: $0, widths: widths) + "\n" }.joined()
    }

    /// Takes from the widest text column, one at a time, until the line fits or no text has more than its share.
    private func fitted(_ natural: [Int], to width: Int?) -> [Int] {
        guard let width else { return natural }
        var widths = natural
        var excess = widths.reduce(2 * (widths.count - 1), +) - width
        let texts = columns.indices.filter { !columns[$0].isNumber }
        while excess > 0, let widest = texts.max(by: { widths[$0] < widths[$1] }), widths[widest] > 4 {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private func line(of cells: [String], widths: [Int]) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() {
            let text = cell.count > widths[column] ? cell.prefix(widths[column] - 1) + "…" : cell
            let padding = String(repeating: " ", count: widths[column] - text.count)
            line += (column == 0 ? "" : "  ") + (columns[column].isNumber ? padding + text : text + padding)
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
