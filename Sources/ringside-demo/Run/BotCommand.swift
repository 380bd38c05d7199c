/// What commands want of one bot. The thread that reads commands adds to it, the bot's thread takes from it.
struct BotControls: Sendable {
    let faults = AddedFaults()
    let orders = RequestedOrders()
}

/// A command to the bots: a line on standard input.
enum BotCommand: Equatable {
    case order(Side, bot: Int)
    /// The start counts from the command's arrival.
    case fault(Fault)

    /// Reads `buy BOT`, `sell BOT` or `fault FAULT`. Returns nil for anything else.
    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "buy", "sell":
            guard let bot = Int(words[1]), bot > 0 else { return nil }
            self = .order(words[0] == "buy" ? .buy : .sell, bot: bot)
        case "fault":
            guard let fault = Fault(words[1]) else { return nil }
            self = .fault(fault)
        default: return nil
        }
    }
}
