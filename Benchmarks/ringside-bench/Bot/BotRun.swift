/// Whole bots with more and less telemetry, in turn, and what the same calls cost one by one.
struct BotRun {
    /// Nanoseconds of processor time a message, a figure a round.
    private(set) var perMessage: [BotMode: Rounds] = [:]
    /// What telemetry adds to a message in the same round, against none.
    private(set) var added: [BotMode: Rounds] = [:]
    let calls: MessageCalls
    /// What the calls of a message cost by `emission`, in nanoseconds.
    let callsNanoseconds: Double

    init(rounds: Int, seconds: Double, isQuick: Bool) throws {
        calls = try MessageCalls(seconds: min(1, seconds), seed: Self.seed)
        for round in 0..<rounds {
            var figures: [BotMode: Double] = [:]
            // Each mode in each place of the round.
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

    /// What telemetry adds to a message, against what its calls cost one by one.
    var ratio: Double { added[.full]!.median / callsNanoseconds }

    static let limit = 1.2
}
