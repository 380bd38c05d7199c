internal import Arguments
internal import Platform

/// `ringside top` on a terminal: it draws the latest figures and obeys keys, until `q`, Ctrl-C, or the end of
/// `--duration`.
struct TopSession {
    let feed: TopFeed
    let options: TopOptions
    let choice: TopChoice

    /// How often it looks for new figures and for signals, whether a key comes or not.
    private static let lookMilliseconds: Int64 = 50

    /// What the frame on the screen was made of.
    private struct Drawn: Equatable {
        let picture: Int
        let state: TopState
        let rows, columns: Int
    }

    /// Returns the exit status: 1 if there were no new figures at the end of `--duration`.
    func run(_ screen: TerminalScreen) -> Int32 {
        defer {
            feed.end()
            screen.end()
        }
        var state = TopState(window: options.window, sort: options.sort)
        var shown = feed.latest
        var (frame, drawn) = (TopFrame?.none, Drawn?.none)
        let end = options.durationNanoseconds.map { monotonicNow() + $0 } ?? .max
        while !state.isOver, !screen.isInterrupted {
            // The figures stay as they are during a pause.
            if !state.isPaused { shown = feed.latest }
            let size = screen.size
            let wanted = Drawn(picture: shown.number, state: state, rows: size.rows, columns: size.columns)
            if wanted != drawn {
                var content = content(shown)
                // Other instruments, or another window, may have other units.
                let isSameChoice = drawn?.state.window == state.window && drawn?.state.filter == state.filter
                content.scales = isSameChoice ? frame?.scales ?? [:] : [:]
                let next = TopFrame(state, content, rows: size.rows, columns: size.columns)
                screen.draw(next)
                (frame, drawn) = (next, wanted)
            }
            let left = (end - monotonicNow()) / 1_000_000
            guard left > 0 else {
                guard let silence = shown.silence else { return 0 }
                screen.end()
                Terminal.report("ringside top: \(silence)")
                return 1
            }
            if let key = screen.key(withinMilliseconds: Int32(min(left, Self.lookMilliseconds))) {
                state.press(key, page: frame?.page ?? 0, count: frame?.count ?? 0)
            }
        }
        return 0
    }

    private func content(_ picture: TopFeed.Picture) -> TopFrame.Content {
        let (view, previous) = (picture.view, picture.previous)
        let elapsed = view.time - previous.time
        let before = Dictionary(previous.bots.map { ($0.bot, $0.position) }) { $1 }
        let rates = view.bots.compactMap { bot in
            before[bot.bot].flatMap { elapsed > 0 ? (bot.bot, Double(bot.position &- $0) / elapsed) : nil }
        }
        let clock = Figures.clock(unixSeconds: view.time)
        return TopFrame.Content(
            view: view, rates: Dictionary(rates) { $1 }, place: picture.place, clock: clock,
            silence: picture.silence.map { "old figures, of \(clock): \($0); it is asked again" },
            remark: picture.remark, rows: TopRows(choice: choice, label: options.label))
    }
}
