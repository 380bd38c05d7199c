internal import Arguments
internal import RingReader

/// The list for people.
enum ListTable {
    /// Returns a table with one line for each ring. Below it are the reasons why rings cannot be read.
    static func render(
        _ rows: [RingRow], width: Int? = Terminal.columns, hasColour: Bool = Terminal.hasColour
    ) -> String {
        var table = Table([
            .text("RING"), .text("STATE"), .number("PID"), .number("AGE"), .number("RATE/S"), .number("POSITION"),
            .number("CAPACITY"), .number("METRICS"), .text("SAMPLING"), .number("BACKLOG"), .number("LOST"),
        ])
        for row in rows { table.append(cells(of: row)) }
        let lines = table.rendered(width: width).split(separator: "\n").map(String.init)
        let styles = [.bold] + rows.map(style)
        let styled = zip(lines, styles).map { line, style in
            style.map { Terminal.styled(line, $0, hasColour: hasColour) } ?? line
        }
        return (styled + reasons(rows)).map { $0 + "\n" }.joined()
    }

    private static func cells(of row: RingRow) -> [String] {
        let seen = [row.backlog.shown, row.lost.shown]
        guard case .success(let content) = row.content else {
            return ["\(row.name)", "unreadable"] + Array(repeating: "-", count: 7) + seen
        }
        return [
            "\(row.name)", content.state.rawValue, content.pid.shown,
            content.ageSeconds.map { Figures.age(seconds: $0) } ?? "-", content.rate.map { Figures.rate($0) } ?? "-",
            "\(content.position)", "\(content.capacity)", "\(content.metrics)", "\(content.sampling)",
        ] + seen
    }

    private static func style(_ row: RingRow) -> Terminal.Style? {
        guard case .success(let content) = row.content else { return .red }
        switch content.state {
        case .up: return row.lost ?? 0 > 0 ? .yellow : nil
        case .closed: return .dim
        case .down: return .red
        }
    }

    private static func reasons(_ rows: [RingRow]) -> [String] {
        let reasons = rows.compactMap { row in
            if case .failure(let error) = row.content { "\(row.name): \(error.description.printable)" } else { nil }
        }
        return reasons.isEmpty ? [] : [""] + reasons
    }
}

extension Optional where Wrapped: CustomStringConvertible {
    /// The text in a table; `-` if the value is unknown.
    var shown: String { map { "\($0)" } ?? "-" }
}
