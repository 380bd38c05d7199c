internal import Arguments

/// One picture of the screen of `ringside top`: lines that fit its size.
struct TopFrame: Equatable {
    enum Style: Equatable {
        case plain
        case head
        /// The line about the screen itself.
        case status
        case warning
        case alarm
    }

    struct Line: Equatable {
        var text: String
        var style = Style.plain
    }

    private(set) var lines: [Line] = []
    /// The number of instruments in sight, and of all.
    private(set) var page = 0
    private(set) var count = 0
    /// The unit of each kind of instruments, for the next frame to keep.
    private(set) var scales: [String: FigureScale]

    /// What a frame shows, beside what a person has chosen.
    struct Content {
        let view: CollectorView
        /// The records per second of each bot, as far as known.
        let rates: [String: Double]
        /// The collector's address.
        let place: String
        /// The time of the view, in local time.
        let clock: String
        /// The reason why the collector does not answer any more; nil if it does.
        let silence: String?
        /// What must be known of the figures' source; nil for a collector.
        var remark: String?
        let rows: TopRows
        /// The units of the frame before this one.
        var scales: [String: FigureScale] = [:]
    }

    private let height: Int
    private let width: Int

    init(_ state: TopState, _ content: Content, rows height: Int, columns width: Int) {
        (self.height, self.width, scales) = (height, width, content.scales)
        add(Self.status(state, content), .status)
        if let silence = content.silence { add(silence.printable, .alarm) }
        if let remark = content.remark { addWrapped(remark.printable, .warning) }
        guard !state.showsHelp else {
            for line in Self.help { add(line) }
            fit()
            return
        }
        let unread = content.view.unreadRings ?? []
        for ring in unread.prefix(2) { add("ring \(ring.ring) is not read: \(ring.reason)".printable, .warning) }
        if unread.count > 2 { add("… and \(unread.count - 2) more; 'ringside doctor' names them", .warning) }
        do throws(NoSuchName) {
            let bots = try content.rows.choice.bots(of: content.view)
            let chosen = bots.filter { state.shows($0.bot) || $0.metrics.contains { state.shows($0.name) } }
            addBots(chosen, content.rates)
            var rows = try content.rows.rows(bots, window: state.window, sort: state.sort)
            if state.isReversed { rows.reverse() }
            rows.removeAll { !state.shows($0.row.bot) && !state.shows($0.row.metric.title) }
            addInstruments(rows, state)
        } catch {
            add("\(error)".printable, .alarm)
        }
        fit()
    }

    /// Adds a line, cut to the width.
    private mutating func add(_ text: String, _ style: Style = .plain) {
        lines.append(Line(text: text.prefix(cells: width), style: style))
    }

    /// Adds a sentence, in as many lines as it needs.
    private mutating func addWrapped(_ sentence: String, _ style: Style) {
        var line = ""
        for word in sentence.split(separator: " ") {
            if !line.isEmpty, line.cells + 1 + String(word).cells > width {
                add(line, style)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        add(line, style)
    }

    private mutating func fit() { lines = Array(lines.prefix(max(0, height))) }

    /// Adds the bots. They take a third of the screen at most, and none of a low one.
    private mutating func addBots(_ bots: [CollectorView.Bot], _ rates: [String: Double]) {
        let room = (height - lines.count) / 3 - 1
        guard height >= 12, room > 0, !bots.isEmpty else { return }
        let shown = bots.count <= room ? bots[...] : bots.prefix(max(1, room - 1))
        var table = Table([
            .text("BOT"), .text("STATE"), .number("RECORDS"), .number("RECORDS/S"), .number("BACKLOG"), .number("LOST"),
        ])
        for bot in shown {
            table.append([
                bot.bot.printable, bot.shownState, "\(bot.position)", rates[bot.bot].map(Figures.rate) ?? "-",
                "\(bot.rings.reduce(0) { $0 &+ $1.backlog })", "\(bot.lostRecords)",
            ])
        }
        let texts = table.rendered(width: width).split(separator: "\n").map(String.init)
        for (index, text) in texts.enumerated() {
            let isWell = index == 0 || ["up", "closed"].contains(shown[shown.startIndex + index - 1].shownState)
            add(text, index == 0 ? .head : isWell ? .plain : .alarm)
        }
        if shown.count < bots.count { add("… \(bots.count - shown.count) more bots; / filters") }
        add("")
    }

    /// Adds the instruments in sight, what their marks mean, and the keys.
    private mutating func addInstruments(
        _ rows: [(row: HistogramRow, window: CollectorView.Window)], _ state: TopState
    ) {
        let table = TopTable(rows, columns: width, keeping: scales)
        scales = table.scales
        count = rows.count
        let footer = 1 + table.legend.count
        page = max(0, height - lines.count - 1 - footer)
        add(table.head, .head)
        let first = max(0, min(state.offset, count - page))
        for text in table.lines.dropFirst(first).prefix(page) { add(text) }
        if rows.isEmpty {
            add(
                state.filter.isEmpty
                    ? "no histogram has a record in the last \(state.window.rawValue)"
                    : "no bot and no instrument with a record in the last \(state.window.rawValue) has "
                        + "'\(state.filter)' in its name"
            )
        }
        for sentence in table.legend { add(sentence, .warning) }
        if state.isFiltering {
            add("filter: \(state.filter)_   Enter keeps it, Esc clears it", .status)
        } else {
            let range = count > page && page > 0 ? "\(first + 1)-\(min(count, first + page)) of \(count)   " : ""
            add("\(range)q quit  ? help  / filter  s sort  w window  space pause", .status)
        }
    }

    private static func status(_ state: TopState, _ content: Content) -> String {
        let sort = state.sort.map { "by \($0.rawValue)\(state.isReversed ? ", lowest first" : "")" }
        return [
            "ringside top", content.place.printable, content.clock, "window \(state.window.rawValue)", sort ?? "",
            state.filter.isEmpty ? "" : "filter '\(state.filter.printable)'", state.isPaused ? "PAUSED" : "",
        ].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private static let help = [
        "", "1 2 3 w      window of 1 s, 5 s, 1 min; the next one",
        "s > <        rank by the next figure, by the one before; r turns the order round",
        "/            filter bots and instruments by a text in their names; Esc clears it",
        "arrows j k   scroll by a line; PgUp PgDn Home End by more", "space p      pause: the figures stay as they are",
        "q            quit", "", "Where the screen is narrow, columns go: MAX, LOST, PER S, BOT;",
        "then titles are shortened, and labels go that all lines share.",
        "! records of the window were lost    + the window is not complete yet", "", "Any key closes this.",
    ]
}

extension TopState {
    /// Returns whether the filter lets a name through.
    fileprivate func shows(_ name: String) -> Bool {
        filter.isEmpty || name.lowercased().contains(filter.lowercased())
    }
}
