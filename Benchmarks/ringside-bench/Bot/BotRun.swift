/// Whole bots with more and less telemetry, in turn, and the cost of the same calls one by one.
struct BotRun {
    /// Nanoseconds of processor time a message, one figure a round.
    private(set) var perMessage: [BotMode: Rounds] = [:]
    /// The nanoseconds that telemetry adds to a message, against no telemetry in the same round.
    private(set) var added: [BotMode: Rounds] = [:]
    let calls: MessageCalls
    /// The cost of the calls of a message by `emission`, in nanoseconds.
    let callsNanoseconds: Double

    init(rounds: Int, seconds: Double, isQuick: Bool) throws {
        calls = try MessageCalls(seconds: min(1, seconds), seed: Self.seed)
        for round in 0..<rounds {
            var figures: [BotMode: Double] = [:]
            // Each mode is in each place of the round.
            let modes = BotMode.allCases
            for place in modes.indices {
                let mode = modes[(place + round) % modes.count]
                figures[mode] = try BotProgram(mode, seconds: seconds, seed: Self.seed).nanosecondsPerMessage
            }
            for mode in modes {
                perMessage[mode, default: Rounds()].append(figures[mode]!)
                added[mode, default: Rounds()].append(figures[mode]! - figures[.absent]!)
            }
        }
        let counts = isQuick ? EmissionCounts(loop: 200_000, paced: 2_000, cold: 10) : EmissionCounts()
        let emission = EmissionRun(try Subjects(in: ScratchDirectory()), rounds: isQuick ? 3 : 9, counts: counts)
        callsNanoseconds = calls.nanoseconds(emission)
    }

    private static let seed = 7

    /// The time that telemetry adds to a message, against the cost of its calls one by one.
    var ratio: Double { added[.full]!.median / callsNanoseconds }

    static let limit = 1.2
}
