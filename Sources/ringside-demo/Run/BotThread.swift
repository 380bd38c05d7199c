import Arguments
import Ringside
import RingsideCatalogue

/// A bot's thread: it attaches, waits for the others, trades, reports, waits to be released, and closes.
struct BotThread {
    /// Counted from 1, as in the ring's name.
    let index: Int
    let options: DemoOptions
    /// nil: a generated feed.
    let recording: RecordedFeed?
    let gate: RunGate
    /// What commands want of this bot; nil: there are no commands.
    let controls: BotControls?

    private var name: String { "\(options.namePrefix)\(index)" }

    private var identity: BotIdentity {
        BotIdentity(name: name, source: recording == nil ? "generated" : "lobster", symbol: symbol)
    }

    /// The traded symbol. A recording's symbol is the start of its file's name:
    /// `AAPL_2012-06-21_34200000_57600000_message_10.csv`.
    private var symbol: Label.Symbol {
        guard let path = options.feedPath else { return Self.symbols[(index - 1) % Self.symbols.count] }
        let file = path.split(separator: "/").last ?? ""
        let ticker = file.prefix { $0.isASCII && ($0.isUppercase || $0.isNumber) }
        return (1...12).contains(ticker.count) ? Label.Symbol(String(ticker)) : "AAPL"
    }

    private static let symbols: [Label.Symbol] = ["AAPL", "MSFT", "NVDA", "AMZN", "META", "GOOGL", "TSLA", "AVGO"]

    func start() -> NamedThread {
        NamedThread(name) { [self] in run() }
    }

    private func run() {
        var ring = attachOptions
        ring.capacityRecords = options.ringRecords(ofBot: index)
        let telemetry = Telemetry.attachOrDisabled(name, options: ring) {
            Terminal.report("ringside-demo: \(name) goes on without telemetry: \($0)")
        }
        let recorder = Recorder(telemetry.isAttached ? options.noteTaking : .none)
        do {
            trade(recorder, try DemoInstruments(telemetry, recorder, identity), telemetry)
        } catch {
            Terminal.report("ringside-demo: \(name) goes on without telemetry: \(error)")
            tradeUnseen()
        }
    }

    /// Trades without telemetry: a resumed ring can hold another program's metrics under the demo's names.
    private func tradeUnseen() {
        let telemetry = Telemetry.disabled()
        let recorder = Recorder(.none)
        do {
            trade(recorder, try DemoInstruments(telemetry, recorder, identity), telemetry)
        } catch {
            preconditionFailure("an instrument of the demo itself is wrong: \(error)")
        }
    }

    private func trade(_ recorder: Recorder, _ instruments: DemoInstruments, _ telemetry: consuming Telemetry) {
        let isAttached = telemetry.isAttached
        let pauses = isAttached ? startPauseMeter() : nil
        let start = gate.arrive()
        let faults = FaultSchedule(
            faults: options.faults(ofBot: index), added: controls?.faults, startNanoseconds: start)
        let venue: RunningVenue
        do {
            venue = try Venue.start(named: "\(name).venue", faults: faults)
        } catch {
            Terminal.report("ringside-demo: \(name) has no venue: \(error)")
            _ = pauses?.stop()
            return gate.finish(index, RunGate.Outcome(bot: name, tally: nil, emitted: []))
        }
        var bot = TradingBot(
            telemetry: telemetry, instruments: instruments, feed: feed, venue: venue.address,
            pacer: Pacer(
                eventsPerSecond: options.eventsPerSecond, startNanoseconds: start,
                durationNanoseconds: options.durationNanoseconds),
            faults: faults, requestedOrders: controls?.orders)
        bot.run(until: gate.stop)
        venue.stop()
        let rings = [isAttached ? emitted(recorder) : nil, pauses?.stop()]
        gate.finish(index, RunGate.Outcome(bot: name, tally: bot.tally, emitted: rings.compactMap(\.self)))
        bot.close()
    }

    /// Starts the pause meter. One is enough for all bots of the process.
    private func startPauseMeter() -> RecordedPauses? {
        guard options.hasPauseMeter, index == 1 else { return nil }
        return RecordedPauses(bot: name, attachOptions, options.noteTaking) {
            Terminal.report("ringside-demo: \(name) goes on without a pause meter: \($0)")
        }
    }

    private var feed: Feed {
        recording.map { .recorded(RecordedFeedCursor($0, isLooped: options.isLooped)) }
            ?? .generated(GeneratedFeed(seed: options.seed, stream: index))
    }

    private var attachOptions: AttachOptions {
        AttachOptions(
            directory: options.ringDirectory, mode: options.isResumed ? .resume : .fresh,
            labels: ["env": "paper", "service": "ringside-demo"])
    }

    private func emitted(_ recorder: Recorder) -> EmittedRing {
        EmittedRing(bot: name, lane: "", metrics: recorder.emitted(ticksPerSecond: TickClock.ticksPerSecond))
    }
}
