import Arguments

/// A run with a page: the bots in a process of their own, and the page in this one, until either is to end.
final class PageRun {
    private static let turnMilliseconds: Int32 = 50

    private let options: DemoOptions
    private let names: [String]
    private let bots: BotProcess

    /// Runs to the end. Returns the exit status: the bots', or 1 if they or the page cannot be started.
    static func run(_ options: DemoOptions, at address: LoopbackAddress, arguments: [String]) -> Int32 {
        // Before anything else: a signal that comes while the bots start must end them too.
        let signals = StopSignals.block()
        do throws(FileError) {
            let page = LatePage()
            let server = try PageServer(address) { page.run?.answer(to: $0) ?? .text("not yet", status: 503) }
            let run = try PageRun(options, arguments: arguments)
            page.run = run
            Terminal.report("ringside-demo: buttons at http://\(address.host):\(server.port)")
            return try run.serve(server, until: signals)
        } catch {
            Terminal.report("ringside-demo: \(error)")
            return 1
        }
    }

    /// The run, which begins when the page's address is taken: bots that nobody can reach would be in the way.
    private final class LatePage {
        weak var run: PageRun?
    }

    private init(_ options: DemoOptions, arguments: [String]) throws(FileError) {
        self.options = options
        names = (1...options.botCount).map { "\(options.namePrefix)\($0)" }
        bots = try BotProcess(arguments: arguments)
    }

    private func serve(_ server: PageServer, until signals: StopSignals) throws(FileError) -> Int32 {
        while !signals.wait(nanoseconds: 0) {
            server.turn(milliseconds: Self.turnMilliseconds)
            if let status = try bots.look(at: monotonicNanoseconds()) { return status }
        }
        return bots.end()
    }

    private func answer(to request: PageRequest) -> PageResponse {
        switch request.verdict {
        case .page: PageDocument(bots: names, collectorURL: options.collectorURL).response()
        case .act: act(request.arguments)
        case .refused(let status, let reason): .text(reason, status: status)
        }
    }

    /// Does what a button asks for. The answer has three lines: what was done, what to look at, and where.
    private func act(_ arguments: [String: String]) -> PageResponse {
        guard let action = arguments["action"].flatMap(PageAction.init) else {
            let all = PageAction.allCases.map(\.rawValue).joined(separator: ", ")
            return .text("action is one of \(all)", status: 400)
        }
        guard let number = Int(arguments["bot"] ?? "1"), (1...names.count).contains(number) else {
            return .text("bot is a number from 1 to \(names.count)", status: 400)
        }
        let now = monotonicNanoseconds()
        switch bots.state {
        case .running: break
        case .stopped: return .text("The bots are stopped; try again in a moment.", status: 409)
        case .killed: return .text("The bots are down; they come back in a moment.", status: 409)
        }
        switch action {
        case .stop: bots.stop(at: now)
        case .crash: bots.crash(at: now)
        case .buy, .sell, .slowRisk, .venueAway, .burst:
            if let command = action.command(bot: number) { bots.send(command) }
        }
        let answer = PageAnswer(
            action, bot: names[number - 1], hasSmallRing: options.ringRecords(ofBot: number) != nil, first: names[0],
            hasPauseMeter: options.hasPauseMeter)
        return .text("\(answer.done)\n\(answer.look)\n\(options.collectorURL)/\(answer.route)")
    }
}
