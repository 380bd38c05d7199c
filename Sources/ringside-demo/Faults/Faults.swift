/// The faults that can be injected.
enum FaultKind: String, CaseIterable, Sendable {
    /// The feed is lost. Messages are missed, and the book is void afterwards.
    case disconnect
    /// One message in fifty arrives without its size. It cannot be normalized, and the book misses it.
    case badFeed = "bad-feed"
    /// The bot's clock is a second off. No message's time can be trusted, so none is accepted.
    case clockSkew = "clock-skew"
    /// The feed sends as fast as the bot can take it, beside the messages that are due.
    case burst
    /// The model's features are not numbers.
    case modelFailure = "model-failure"
    /// The bot's thread waits for a lock that nobody releases, while the process lives on.
    case deadlock
    /// A check before each order takes 5 ms.
    case slowRisk = "slow-risk"
    /// The account shows a loss above its daily limit.
    case lossLimit = "loss-limit"
    /// The operator's kill switch is on. Everything is cancelled and nothing is sent.
    case killSwitch = "kill-switch"
    /// The venue drops its connection and refuses new ones.
    case apiDown = "api-down"
    /// The venue accepts one order in a tenth of a second and refuses the others.
    case rateLimit = "rate-limit"
    /// The venue delays each answer.
    case slowVenue = "slow-venue"
}

/// A fault, the bots that have it, and the time for which it holds, in nanoseconds since the run began.
struct Fault: Equatable, Sendable {
    /// The number of the only bot that has it, from 1; nil: every bot has it.
    var bot: Int?
    let kind: FaultKind
    var startNanoseconds: Int64
    /// nil: to the end of the run.
    let durationNanoseconds: Int64?
    /// The time from one beginning to the next, longer than the fault lasts; nil: it comes once.
    var periodNanoseconds: Int64?

    func isActive(at elapsedNanoseconds: Int64) -> Bool {
        guard elapsedNanoseconds >= startNanoseconds else { return false }
        let since = elapsedNanoseconds - startNanoseconds
        return durationNanoseconds.map { (periodNanoseconds.map { since % $0 } ?? since) < $0 } ?? true
    }

    func concerns(bot number: Int) -> Bool { bot == nil || bot == number }
}

extension Fault {
    /// The form that `init` reads.
    static let form = "[BOT:]KIND@START[+SECONDS[/PERIOD]]"

    /// Reads `[BOT:]KIND@START[+SECONDS[/PERIOD]]`, all times in seconds: `api-down@5+2.5`, `2:slow-venue@15+15/60`.
    /// Returns nil for anything else.
    init?(_ text: String) {
        var rest = text[...]
        if let colon = rest.firstIndex(of: ":") {
            guard let number = Self.botNumber(rest[..<colon]) else { return nil }
            bot = number
            rest = rest[colon...].dropFirst()
        }
        let parts = rest.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = FaultKind(rawValue: String(parts[0])) else { return nil }
        let times = parts[1].split(separator: "+", omittingEmptySubsequences: false)
        guard (1...2).contains(times.count), let start = Self.nanoseconds(times[0]) else { return nil }
        (self.kind, startNanoseconds) = (kind, start)
        guard times.count == 2 else {
            durationNanoseconds = nil
            return
        }
        let spans = times[1].split(separator: "/", omittingEmptySubsequences: false).map(Self.nanoseconds)
        guard (1...2).contains(spans.count), let duration = spans[0] else { return nil }
        durationNanoseconds = duration
        guard spans.count == 2 else { return }
        guard let period = spans[1], period > duration else { return nil }
        periodNanoseconds = period
    }

    private static func botNumber(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int(text).flatMap { (1...64).contains($0) ? $0 : nil } : nil
    }

    private static func nanoseconds(_ text: Substring) -> Int64? {
        guard text.first?.isNumber == true, let seconds = Double(text), seconds <= 1e9 else { return nil }
        return Int64(seconds * 1e9)
    }
}
