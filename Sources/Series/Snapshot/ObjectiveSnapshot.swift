/// The state of one objective of one bot.
///
/// Nil means no data: there were fewer events than the objective asks for.
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
        /// The share of good events, 0 to 1.
        package var compliance: Double?
        /// The share of its length in which the bot was watched.
        package var watched: Double

        package init(name: String, counts: EventCounts, compliance: Double?, watched: Double = 1) {
            self.name = name
            self.counts = counts
            self.compliance = compliance
            self.watched = watched
        }
    }

    /// The burn rate of the error budget over a long and a short window: 1 spends it in exactly 30 days.
    package struct Burn: Equatable, Sendable {
        package var longWindow: String
        package var shortWindow: String
        /// The budget counts as burning if the burn rate is at least this in both windows.
        package var limit: Double
        package var longRate: Double?
        package var shortRate: Double?
        /// Whether enough of both windows was watched to judge them.
        package var isCovered: Bool

        package init(
            longWindow: String, shortWindow: String, limit: Double, longRate: Double?, shortRate: Double?,
            isCovered: Bool = true
        ) {
            self.longWindow = longWindow
            self.shortWindow = shortWindow
            self.limit = limit
            self.longRate = longRate
            self.shortRate = shortRate
            self.isCovered = isCovered
        }

        /// Whether the budget is burning at the limit in both windows; nil if either window has no data.
        package var isBurning: Bool? {
            guard isCovered, let longRate, let shortRate else { return nil }
            return longRate >= limit && shortRate >= limit
        }
    }

    package var objective: String
    package var bot: String
    /// The histogram and its threshold; nil for availability.
    package var rule: ThresholdRule?
    /// The share of events that must be good, below 1.
    package var target: Double
    package var minimumEvents: UInt64
    /// Violated if the shortest window that has enough events, and was watched for long enough, is below the target.
    package var state: State
    /// The name of the window that decided the state; nil if there is no data.
    package var decidingWindow: String?
    /// The counts since the collector began, or since the objective was added.
    package var counts: EventCounts
    /// The windows of the objective, shortest first; the last one is 30 days.
    package var windows: [Window]
    /// The share of 30 days' error budget that is left: 1 is all of it; below 0 it is overspent.
    package var budgetRemaining: Double?
    package var burns: [Burn]

    package init(
        objective: String, bot: String, rule: ThresholdRule?, target: Double, minimumEvents: UInt64, state: State,
        decidingWindow: String? = nil, counts: EventCounts, windows: [Window], budgetRemaining: Double?, burns: [Burn]
    ) {
        self.objective = objective
        self.bot = bot
        self.rule = rule
        self.target = target
        self.minimumEvents = minimumEvents
        self.state = state
        self.decidingWindow = decidingWindow
        self.counts = counts
        self.windows = windows
        self.budgetRemaining = budgetRemaining
        self.burns = burns
    }
}
