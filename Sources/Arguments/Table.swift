/// A table in plain text. It has a header, texts aligned left, numbers aligned right, and two blanks between columns.
package struct Table: Sendable {
    /// The alignment of a column, and whether it may be cut.
    package struct Column: Sendable {
        let title: String
        let isNumber: Bool

        /// Returns a column of left-aligned text, which is cut with `…` if the table is too wide.
        package static func text(_ title: String) -> Column { Column(title: title, isNumber: false) }
        /// Returns a column of right-aligned numbers, which are never cut, because a part of a number is another
        /// number.
        package static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
    }

    let columns: [Column]
    private var rows: [[String]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row. Missing cells are empty, excess cells are ignored.
    package mutating func append(_ cells: [String]) {
        let missing = max(0, columns.count - cells.count)
        rows.append(cells.prefix(columns.count) + Array(repeating: "", count: missing))
    }

    /// Returns the table in lines, each ended and without trailing blanks.
    ///
    /// - Parameter width: The width of a line, in columns; nil for no limit. Lines are longer if the numbers alone need
    ///   more.
    package func rendered(width: Int? = Terminal.columns) -> String {
        let lines = [columns.map(\.title)] + rows
        let widths = fitted(columns.indices.map { column in lines.map { $0[column].count }.max()! }, to: width)
        return lines.map { line(of: $0, widths: widths) + "\n" }.joined()
    }

    /// Returns widths with which the line fits, if possible. Narrows the widest text column step by step, down to 4
    /// columns.
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
