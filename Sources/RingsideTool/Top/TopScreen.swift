internal import Arguments
internal import Glibc

/// The tables of `ringside top`: a line a bot, then a line an instrument.
struct TopScreen {
    private let options: TopOptions

    init(_ options: TopOptions) {
        self.options = options
    }

    /// Writes one screen.
    ///
    /// - Parameter previous: The view before this one, for the rate of records; nil for the first.
    func show(_ view: CollectorView, since previous: CollectorView?) throws {
        let bots = view.bots.filter { options.bots.isEmpty || options.bots.contains($0.bot) }
        var lines = botLines(bots, view, since: previous) + [""] + instrumentLines(bots)
        if Terminal.isInteractive {
            lines = Array(fitted(lines))
            // Home, each line cleared to its end, then all below: no flicker, unlike clearing the screen first.
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
                bot.bot, bot.up ? "up" : "down", "\(position)", rate.map(Figures.rate) ?? "-",
                "\(bot.rings.reduce(0) { $0 &+ $1.backlog })", "\(bot.rings.reduce(0) { $0 &+ $1.lostRecords })",
            ])
        }
        return split(table.rendered())
    }

    private func instrumentLines(_ bots: [CollectorView.Bot]) -> [String] {
        var table = Table([
            .text("BOT"), .text("INSTRUMENT (last \(options.window.rawValue))"), .number("PER S"), .number("P50"),
            .number("P95"), .number("P99"), .number("P99.9"), .number("MAX"), .number("LOST"),
        ])
        for bot in bots {
            for metric in bot.metrics
            where metric.kind == "histogram" && (options.metric.isEmpty || metric.name.contains(options.metric)) {
                guard let window = metric.windows?[options.window.rawValue], let count = window.count, count > 0 else {
                    continue
                }
                let values = [window.p50, window.p95, window.p99, window.p999, window.max]
                table.append(
                    [bot.bot, metric.title, window.rate.map(Figures.rate) ?? "-"]
                        + values.map { metric.figure($0) } + [
                            "\(window.lost ?? 0)" + (window.complete == true ? "" : "+")
                        ])
            }
        }
        return split(table.rendered())
    }

    private func split(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}

extension CollectorView.Bot {
    /// Records ever written, over all lanes.
    fileprivate var position: UInt64 { rings.reduce(0) { $0 &+ $1.position } }
}

extension CollectorView.Metric {
    /// The name without its unit, which the figures show, and the label values.
    fileprivate var title: String {
        let suffix = unit.isEmpty ? "" : "_\(unit)"
        let stem = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
        guard !labels.isEmpty else { return stem }
        return stem + " " + labels.sorted { $0.key < $1.key }.map(\.value).joined(separator: " ")
    }

    fileprivate func figure(_ value: Double?) -> String {
        guard let value else { return "-" }
        if unit == "seconds" { return Figures.duration(seconds: value) }
        return Figures.fixed(value, decimals: 3) + (unit.isEmpty ? "" : " \(unit)")
    }
}
