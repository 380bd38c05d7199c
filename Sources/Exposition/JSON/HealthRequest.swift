package import Series

/// The subject of a request to `/health` or `/-/healthy`: the collector, one bot, or one lane.
package enum HealthRequest: Equatable, Sendable {
    /// - Parameter isStrict: Whether a firing P0 alert counts as a failure too.
    case collector(isStrict: Bool)
    case bot(String)
    /// A ring's name: `BOT` or `BOT.LANE`.
    case lane(String)

    /// - Parameter arguments: The arguments of the request's URL.
    /// - Returns: Nil if the arguments are not understood.
    package init?(_ arguments: [(name: String, value: String)]) {
        switch arguments.count {
        case 0: self = .collector(isStrict: false)
        case 1 where arguments[0].name == "strict":
            self = .collector(isStrict: !["0", "false"].contains(arguments[0].value))
        case 1 where arguments[0].name == "bot": self = .bot(arguments[0].value)
        case 1 where arguments[0].name == "lane": self = .lane(arguments[0].value)
        default: return nil
        }
    }

    /// The answer to a request whose arguments are not understood.
    package static let usage = "Expected ?bot=NAME, ?lane=RING or ?strict, or no argument."
}

/// An answer for a probe: an HTTP status and one sentence.
package struct HealthAnswer: Equatable, Sendable {
    /// 200 if all is up, 503 if something is not, 404 if no such bot or lane exists.
    package var status: UInt32
    /// One line for a person.
    package var sentence: String

    package init(status: UInt32, sentence: String) {
        self.status = status
        self.sentence = sentence
    }
}

extension HealthRequest {
    /// Answers from a snapshot.
    package func answer(_ snapshot: Snapshot) -> HealthAnswer {
        switch self {
        case .collector(let isStrict):
            let urgent = snapshot.alerts.filter { $0.state == .firing && $0.severity == "P0" }
            guard isStrict, !urgent.isEmpty else { return HealthAnswer(status: 200, sentence: "The collector serves.") }
            let names = urgent.map { $0.bot.isEmpty ? $0.alert : "\($0.alert) of \($0.bot)" }.joined(separator: ", ")
            return HealthAnswer(status: 503, sentence: "P0 alerts fire: \(names).")
        case .bot(let name):
            guard let bot = snapshot.bots.first(where: { $0.name == name }) else {
                return HealthAnswer(status: 404, sentence: "There is no bot \(name).")
            }
            return HealthAnswer("The bot \(name)", bot.condition)
        case .lane(let name):
            for bot in snapshot.bots {
                let lane = bot.rings.first { $0.lane.isEmpty ? bot.name == name : "\(bot.name).\($0.lane)" == name }
                if let lane { return HealthAnswer("The lane \(name)", bot.condition(of: lane)) }
            }
            return HealthAnswer(status: 404, sentence: "There is no lane \(name).")
        }
    }
}

extension HealthAnswer {
    fileprivate init(_ what: String, _ condition: BotCondition) {
        self.init(status: condition == .up ? 200 : 503, sentence: "\(what) is \(condition.rawValue).")
    }
}

extension HealthRequest {
    /// Returns the lanes that `/health` shows for this question.
    func lanes(_ snapshot: Snapshot) -> [(BotSnapshot, RingSnapshot)] {
        snapshot.bots.flatMap { bot in
            bot.rings.filter { ring in
                switch self {
                case .collector: false
                case .bot(let name): bot.name == name
                case .lane(let name): ring.lane.isEmpty ? bot.name == name : "\(bot.name).\(ring.lane)" == name
                }
            }.map { (bot, $0) }
        }
    }
}
