import Arguments

/// A run from its options to its exit status.
struct DemoRun {
    /// The number of malformed lines that are reported one by one.
    private static let malformedLinesShown = 20
    private static let glanceNanoseconds: Int64 = 20_000_000

    private let options: DemoOptions
    private let gate = RunGate()

    init(_ options: DemoOptions) { self.options = options }

    /// Runs to the end. Returns the exit status: 0 for success, 1 if a file cannot be read or written or a bot could
    /// not trade, 2 for wrong usage.
    func run() -> Int32 {
        if options.isLooped && options.feedPath == nil {
            Terminal.report("ringside-demo: --loop needs --feed FILE; see 'ringside-demo --help'")
            return 2
        }
        let recording: RecordedFeed?
        do {
            recording = try prepare()
        } catch {
            Terminal.report("ringside-demo: \(error)")
            return 1
        }
        let signals = StopSignals.block()
        let controls = options.takesCommands ? (1...options.botCount).map { _ in BotControls() } : []
        let threads = (1...options.botCount).map {
            BotThread(
                index: $0, options: options, recording: recording, gate: gate,
                controls: controls.isEmpty ? nil : controls[$0 - 1]
            ).start()
        }
        if options.takesCommands { CommandReader(controls: controls).start() }
        let isInterrupted = waitForEnd(signals)
        let isWritten = writeOutputs()
        if !isInterrupted { linger(signals) }
        gate.release()
        threads.forEach { $0.join() }
        return isWritten && gate.outcomes.allSatisfy { $0.tally != nil } ? 0 : 1
    }

    private func prepare() throws -> RecordedFeed? {
        for path in [options.reportPath, options.exactPath] {
            if let path { try OutputFile.check(path) }
        }
        guard let path = options.feedPath else { return nil }
        let recording = try RecordedFeed(path: path)
        reportMalformed(recording.malformed, path)
        return recording
    }

    private func reportMalformed(_ lines: [RecordedFeed.MalformedLine], _ path: String) {
        for line in lines.prefix(Self.malformedLinesShown) {
            Terminal.report("ringside-demo: \(path): line \(line.number): \(line.error)")
        }
        if lines.count > Self.malformedLinesShown {
            Terminal.report("ringside-demo: \(path): \(lines.count) lines in all are no messages and are left out")
        }
    }

    /// Starts the bots together and waits until each has finished emitting. Returns whether a signal ended them.
    private func waitForEnd(_ signals: StopSignals) -> Bool {
        var isInterrupted = false
        while gate.attachedCount < options.botCount { sleepNanoseconds(1_000_000) }
        gate.start(at: monotonicNanoseconds())
        while gate.finishedCount < options.botCount {
            if signals.wait(nanoseconds: Self.glanceNanoseconds) {
                isInterrupted = true
                gate.stop.set()
            }
        }
        return isInterrupted
    }

    private func writeOutputs() -> Bool {
        let outcomes = gate.outcomes
        let rings = outcomes.flatMap(\.emitted)
        for outcome in outcomes {
            if let tally = outcome.tally { _ = Terminal.write("\(outcome.bot): \(tally.summary)\n") }
        }
        do {
            if let path = options.exactPath { try ExactLog(rings: rings).write(to: path) }
            if let path = options.reportPath { try Report(rings: rings).write(to: path) }
            return true
        } catch {
            Terminal.report("ringside-demo: \(error)")
            return false
        }
    }

    /// Waits until the time is over, or until a signal shows that nobody reads any longer.
    private func linger(_ signals: StopSignals) {
        let end = monotonicNanoseconds() + options.lingerNanoseconds
        while true {
            let left = end - monotonicNanoseconds()
            if left <= 0 || signals.wait(nanoseconds: left) { return }
        }
    }
}

extension TradingBot.Tally {
    /// One line for people.
    var summary: String {
        let seconds = Double(elapsedNanoseconds) / 1e9
        let rate = seconds > 0 ? Int(Double(messages) / seconds) : 0
        let lost = missedMessages == 0 ? "" : ", \(missedMessages) missed"
        let before =
            beforeRecording == 0 ? "" : ", \(beforeRecording) about orders placed before the recording or in a gap"
        return "\(messages) messages\(lost)\(before) in \(Self.short(seconds)) s (\(rate)/s), \(orders) orders, "
            + "\(fills) fills, \(rejects) rejects, profit \(Self.short(profitUSD)) USD"
    }

    /// Rounds a number to two decimals, which are enough for people.
    private static func short(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
