internal import Arguments
internal import Glibc

/// The tables of `ringside top`: one line for each bot, then one for each instrument. The rings that are not read come
/// before them.
struct TopTables {
    private static let mostUnread = 3

    private let options: TopOptions
    private let choice: TopChoice
    private let rows: TopRows

    init(_ options: TopOptions, _ choice: TopChoice) {
        (self.options, self.choice) = (options, choice)
        rows = TopRows(choice: choice, label: options.label)
    }

    /// Writes one screen.
    ///
    /// - Parameters:
    ///   - previous: The view before this one, for the rate of records; nil for the first.
    ///   - remark: What must be known of the figures' source; nil for a collector.
    func show(_ view: CollectorView, since previous: CollectorView?, remark: String?) throws {
        try write((remark.map { [$0.printable, ""] } ?? []) + lines(view, since: previous))
    }

    /// Writes the last screen again, with a line that shows since when the collector does not answer. If the output is
    /// no terminal, that is reported once, on standard error.
    func show(_ last: CollectorView, isNewlySilent: Bool, because error: CollectorError) throws {
        let words =
            "\(error.problem); the figures are of \(Figures.clock(unixSeconds: last.time)), and it is asked again"
            .printable
        if Terminal.isInteractive {
            try write([words, ""] + lines(last, since: nil))
        } else if isNewlySilent {
            Terminal.report("ringside top: \(words)")
        }
    }

    private func lines(_ view: CollectorView, since previous: CollectorView?) throws -> [String] {
        let bots = try choice.bots(of: view)
        return unreadLines(view.unreadRings ?? []) + botLines(bots, view, since: previous) + [""]
            + (try instrumentLines(bots))
    }

    private func write(_ all: [String]) throws {
        var lines = all
        if Terminal.isInteractive, !options.isOnce {
            lines = Array(fitted(lines))
            // Goes to the top, clears each line to its end, then all below. This does not flicker, unlike clearing the
            // screen first.
            try Terminal.output("\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
        } else {
            try Terminal.output(lines.map { $0 + "\n" }.joined() + "\n")
        }
    }

    private func fitted(_ lines: [String]) -> ArraySlice<String> {
        var size = winsize()
        let height = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_row) : 0
        guard height > 2, lines.count >= height else { return lines[...] }
        let shown = lines.prefix(height - 2)
        return shown + ["… \(lines.count - shown.count) more; choose with --bot and --metric"]
    }

    private func unreadLines(_ rings: [CollectorView.UnreadRing]) -> [String] {
        if rings.isEmpty { return [] }
        let lines = rings.prefix(Self.mostUnread).map { "ring \($0.ring) is not read: \($0.reason)".printable }
        let more = rings.count - lines.count
        return lines + (more > 0 ? ["… and \(more) more; 'ringside doctor' names them"] : []) + [""]
    }

    private func botLines(_ bots: [CollectorView.Bot], _ view: CollectorView, since previous: CollectorView?)
        -> [String]
    {
        var table = Table([
            .text("BOT"), .text("STATE"), .number("RECORDS"), .number("RECORDS/S"), .number("BACKLOG"), .number("LOST"),
        ])
        for bot in bots {
            let position = bot.position
            let before = previous?.bots.first { $0.bot == bot.bot }?.position
            let elapsed = view.time - (previous?.time ?? view.time)
            let rate = before.flatMap { elapsed > 0 ? Double(position &- $0) / elapsed : nil }
            table.append([
                bot.bot, bot.shownState, "\(position)", rate.map(Figures.rate) ?? "-",
                "\(bot.rings.reduce(0) { $0 &+ $1.backlog })", "\(bot.lostRecords)",
            ])
        }
        return split(table.rendered())
    }

    private func instrumentLines(_ bots: [CollectorView.Bot]) throws(NoSuchName) -> [String] {
        let label = options.label
        var table = Table(
            (label.isEmpty ? [] : [.text(label.uppercased().printable)]) + [
                .text("BOT"), .text("INSTRUMENT (last \(options.window.rawValue))"), .number("PER S"), .number("P50"),
                .number("P95"), .number("P99"), .number("P99.9"), .number("MAX"), .number("LOST"),
            ])
        for (row, window) in try rows.rows(bots, window: options.window, sort: options.sort) {
            let values = [window.p50, window.p95, window.p99, window.p999, window.max]
            table.append(
                (label.isEmpty ? [] : [(row.metric.labels[label] ?? "").printable])
                    + [row.bot, row.metric.title(without: label), window.rate.map(Figures.rate) ?? "-"]
                    + values.map { Figures.value($0, unit: row.metric.unit, decimals: 3) } + [
                        "\(window.lost ?? 0)" + (window.complete == true ? "" : "+")
                    ])
        }
        return split(table.rendered())
    }

    private func split(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
