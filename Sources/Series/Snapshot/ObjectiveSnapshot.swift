/// How one bot stands to one objective.
///
/// What is nil has no data: fewer events than the objective asks for, which says nothing of the bot.
package struct ObjectiveSnapshot: Equatable, Sendable {
    package enum State: String, Sendable {
        case noData = "no_data"
        case met
        case violated
    }

    package struct Window: Equatable, Sendable {
        /// Such as `1m` or `30d`.
        package var name: String
        package var counts: EventCounts
        /// Good events of all, 0 to 1.
        package var compliance: Double?

        package init(name: String, counts: EventCounts, compliance: Double?) {
            self.name = name
            self.counts = counts
            self.compliance = compliance
        }
    }

    /// How fast the error budget is spent over a long window and a short one: 1 spends it in exactly 30 days.
    package struct Burn: Equatable, Sendable {
        package var longWindow: String
        package var shortWindow: String
        /// The rate from which on, in both windows, it counts as burning.
        package var limit: Double
        package var longRate: Double?
        package var shortRate: Double?

        package init(longWindow: String, shortWindow: String, limit: Double, longRate: Double?, shortRate: Double?) {
            self.longWindow = longWindow
            self.shortWindow = shortWindow
            self.limit = limit
            self.longRate = longRate
            self.shortRate = shortRate
        }

        /// Nil where either window has no data.
        package var isBurning: Bool? {
            guard let longRate, let shortRate else { return nil }
            return longRate >= limit && shortRate >= limit
        }
    }

    package var objective: String
    package var bot: String
    /// The histogram that is held to the threshold; nil for availability.
    package var rule: ThresholdRule?
    /// The share of events that must be good, below 1.
    package var target: Double
    package var minimumEvents: UInt64
    /// Violated where the shortest window with enough events is below the target.
    package var state: State
    /// Since the collector began, or the objective came.
    package var counts: EventCounts
    /// Those of the objective, shortest first; the last one is 30 days.
    package var windows: [Window]
    /// The share of 30 days' error budget that is left: 1 is all of it, below 0 it is overspent.
    package var budgetRemaining: Double?
    package var burns: [Burn]

    package init(
        objective: String, bot: String, rule: ThresholdRule?, target: Double, minimumEvents: UInt64, state: State,
        counts: EventCounts, windows: [Window], budgetRemaining: Double?, burns: [Burn]
    ) {
        self.objective = objective
        self.bot = bot
        self.rule = rule
        self.target = target
        self.minimumEvents = minimumEvents
        self.state = state
        self.counts = counts
        self.windows = windows
        self.budgetRemaining = budgetRemaining
        self.burns = burns
    }
}
