internal import Synchronization

/// Synchronises the bots' threads and the main thread. All attach, then all start at one moment. All finish emitting,
/// then all may close.
///
/// Threads wait by sleeping. Each wait is at the edge of a run, where a few milliseconds do not matter.
final class RunGate: Sendable {
    /// The results that a bot passes on when it has finished.
    struct Outcome: Sendable {
        let bot: String
        /// nil for a bot that could not trade at all.
        let tally: TradingBot.Tally?
        /// Empty for a bot without a ring; the pause meter's ring comes after the bot's own.
        let emitted: [EmittedRing]
    }

    private struct State {
        var attachedCount = 0
        var startNanoseconds: Int64?
        var outcomes: [Int: Outcome] = [:]
        var isReleased = false
    }

    let stop = StopFlag()
    private let state = Mutex(State())

    var attachedCount: Int { state.withLock { $0.attachedCount } }
    var finishedCount: Int { state.withLock { $0.outcomes.count } }

    /// The outcomes in the bots' order.
    var outcomes: [Outcome] { state.withLock { state in state.outcomes.sorted { $0.key < $1.key }.map(\.value) } }

    /// Reports that a bot is attached, and waits for the common start. Called by the bot.
    func arrive() -> Int64 {
        state.withLock { $0.attachedCount += 1 }
        while true {
            if let start = state.withLock({ $0.startNanoseconds }) { return start }
            sleepNanoseconds(1_000_000)
        }
    }

    /// Passes on the results of a bot, and waits until it may close its ring. Called by the bot.
    func finish(_ index: Int, _ outcome: Outcome) {
        state.withLock { $0.outcomes[index] = outcome }
        while !state.withLock({ $0.isReleased }) { sleepNanoseconds(5_000_000) }
    }

    func start(at nanoseconds: Int64) { state.withLock { $0.startNanoseconds = nanoseconds } }

    func release() { state.withLock { $0.isReleased = true } }
}
