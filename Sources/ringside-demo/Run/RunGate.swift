internal import Synchronization

/// Where the bots' threads and the main thread wait for each other: all are attached, then all start at one moment, all
/// have finished emitting, then all may close.
///
/// Waiting is by sleeping: each wait is at the edge of a run, and a few milliseconds are nothing there.
final class RunGate: Sendable {
    /// What a bot leaves when it has finished.
    struct Outcome: Sendable {
        let bot: String
        /// nil for one that could not trade at all.
        let tally: TradingBot.Tally?
        /// None for a bot that had no ring; the pause meter's after the bot's own.
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

    /// A bot: says that it is attached, and waits for the common start.
    func arrive() -> Int64 {
        state.withLock { $0.attachedCount += 1 }
        while true {
            if let start = state.withLock({ $0.startNanoseconds }) { return start }
            sleepNanoseconds(1_000_000)
        }
    }

    /// A bot: leaves what it did, and waits until it may close its ring.
    func finish(_ index: Int, _ outcome: Outcome) {
        state.withLock { $0.outcomes[index] = outcome }
        while !state.withLock({ $0.isReleased }) { sleepNanoseconds(5_000_000) }
    }

    func start(at nanoseconds: Int64) { state.withLock { $0.startNanoseconds = nanoseconds } }

    func release() { state.withLock { $0.isReleased = true } }
}
