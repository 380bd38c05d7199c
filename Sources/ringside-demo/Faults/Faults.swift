/// The faults that can be injected.
enum FaultKind: String, CaseIterable, Sendable {
    /// The feed is lost. Messages are missed, and the book is void afterwards.
    case disconnect
    /// One message in fifty arrives without its size. It cannot be normalized, and the book misses it.
    case badFeed = "bad-feed"
    /// The bot's clock is a second off. No message's time can be trusted, so none is accepted.
    case clockSkew = "clock-skew"
    /// The model's features are not numbers.
    case modelFailure = "model-failure"
    /// The bot's thread waits for a lock that nobody releases, while the process lives on.
    case deadlock
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

/// A fault and the time for which it holds, in nanoseconds since the run began.
struct Fault: Equatable, Sendable {
    let kind: FaultKind
    let startNanoseconds: Int64
    /// nil: to the end of the run.
    let durationNanoseconds: Int64?

    func isActive(at elapsedNanoseconds: Int64) -> Bool {
        guard elapsedNanoseconds >= startNanoseconds else { return false }
        return durationNanoseconds.map { elapsedNanoseconds - startNanoseconds < $0 } ?? true
    }
}

extension Fault {
    /// Reads `KIND@START[+SECONDS]`, both times in seconds: `api-down@5+2.5`. Returns nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = FaultKind(rawValue: String(parts[0])) else { return nil }
        let times = parts[1].split(separator: "+", omittingEmptySubsequences: false).map(Self.nanoseconds)
        guard (1...2).contains(times.count), let start = times[0] else { return nil }
        if times.count == 2 && times[1] == nil { return nil }
        self.init(kind: kind, startNanoseconds: start, durationNanoseconds: times.count == 2 ? times[1] : nil)
    }

    private static func nanoseconds(_ text: Substring) -> Int64? {
        guard text.first?.isNumber == true, let seconds = Double(text), seconds <= 1e9 else { return nil }
        return Int64(seconds * 1e9)
    }
}

/// All faults of a run, and its start. The bots and their venues share it.
struct FaultSchedule: Sendable {
    var faults: [Fault] = []
    /// On the monotonic clock.
    var startNanoseconds: Int64

    /// Returns whether a fault of that kind holds at a moment of the monotonic clock.
    func isActive(_ kind: FaultKind, at nowNanoseconds: Int64) -> Bool {
        faults.contains { $0.kind == kind && $0.isActive(at: nowNanoseconds - startNanoseconds) }
    }
}
