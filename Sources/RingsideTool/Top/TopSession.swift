internal import Arguments
internal import Platform

/// `ringside top` on a terminal: it draws what the collector answers, and obeys keys, until `q` or the end of
/// `--duration`.
struct TopSession {
    let client: CollectorClient
    let options: TopOptions
    let choice: TopChoice

    /// - Parameter first: The collector's first answer.
    /// - Throws: ``CollectorError`` if the collector did not answer at the end.
    func run(_ screen: TerminalScreen, first: CollectorView) throws -> Int32 {
        defer { screen.end() }
        var state = TopState(window: options.window, sort: options.sort)
        var (view, previous) = (first, first)
        var silence: CollectorError?
        let end = options.durationNanoseconds.map { monotonicNow() + $0 } ?? .max
        var next = monotonicNow() + options.intervalNanoseconds
        while !state.isOver {
            let size = screen.size
            let frame = TopFrame(
                state, content(view, since: previous, silence), rows: size.rows, columns: size.columns)
            screen.draw(frame)
            let now = monotonicNow()
            let wake = min(next, end)
            if let key = screen.key(withinMilliseconds: Int32(clamping: max(0, (wake - now) / 1_000_000 + 1))) {
                state.press(key, page: frame.page, count: frame.count)
                continue
            }
            if monotonicNow() >= end { break }
            guard monotonicNow() >= next else { continue }
            next = monotonicNow() + options.intervalNanoseconds
            // The view stays as it is during a pause.
            guard !state.isPaused else { continue }
            do throws(CollectorError) {
                let latest = try client.latest()
                (previous, view, silence) = (view, latest, nil)
            } catch {
                silence = error
            }
        }
        if let silence, !state.isOver { throw silence }
        return 0
    }

    private func content(
        _ view: CollectorView, since previous: CollectorView, _ silence: CollectorError?
    ) -> TopFrame.Content {
        let elapsed = view.time - previous.time
        let before = Dictionary(previous.bots.map { ($0.bot, $0.position) }) { $1 }
        let rates = view.bots.compactMap { bot in
            before[bot.bot].flatMap { elapsed > 0 ? (bot.bot, Double(bot.position &- $0) / elapsed) : nil }
        }
        return TopFrame.Content(
            view: view, rates: Dictionary(rates) { $1 }, place: choice.place,
            clock: Figures.clock(unixSeconds: view.time),
            silence: silence.map {
                "old figures, of \(Figures.clock(unixSeconds: view.time)): \($0.problem); it is asked again"
            },
            rows: TopRows(choice: choice, label: options.label))
    }
}
