/// The state of one alert of one bot.
package struct AlertSnapshot: Equatable, Sendable {
    package enum State: String, Sendable {
        /// Its condition does not hold.
        case inactive
        /// Its condition holds, but not for long enough yet.
        case pending
        case firing
    }

    package var alert: String
    package var severity: String
    package var bot: String
    package var state: State
    /// The condition as text, such as `p99 of x_seconds over 1m > 0.005 for 1m`.
    package var condition: String
    /// The address of the instructions for it; "" if there is none, and until it is judged after a restart.
    package var runbook = ""
    /// The last measured value; of several series, the one furthest beyond the threshold.
    package var value: Double?
    /// The unit of that value, as far as the name of the alert's series tells. It is not stored in a checkpoint.
    package var unit = MetricUnit.none
    /// The labels of that series; empty if several series are summed.
    package var labels: [Label]
    /// The time since which the state holds, in nanoseconds since the Unix epoch.
    package var sinceUnixNanoseconds: Int64
    /// The time at which the alert that ended last began to fire, in nanoseconds since the Unix epoch; nil if none has
    /// ended.
    package var firedSinceUnixNanoseconds: Int64?
    /// The time since which a firing alert has no data, in nanoseconds since the Unix epoch: its bot is down, hangs or
    /// has lost its ring. It continues to fire until there is data again. Nil if there is data.
    package var unknownSinceUnixNanoseconds: Int64?
    /// The time since which the condition of a firing alert has not held, in nanoseconds since the Unix epoch. The
    /// alert ends when this has lasted as long as its definition asks. Nil if the condition holds.
    package var resolvingSinceUnixNanoseconds: Int64?
    /// The time until which an operator has silenced it, in nanoseconds since the Unix epoch; nil if it is not
    /// silenced.
    package var silencedUntilUnixNanoseconds: Int64?
    /// Why it ended; "" while it fires.
    package var resolution = ""

    /// The name by which an operator refers to it. A bot's name contains no slash.
    package var id: String { "\(alert)/\(bot)" }

    /// Whether notices of it are silenced.
    package var isSilenced: Bool { silencedUntilUnixNanoseconds != nil }

    package init(
        alert: String, severity: String, bot: String, state: State, condition: String, value: Double?, labels: [Label],
        sinceUnixNanoseconds: Int64
    ) {
        self.alert = alert
        self.severity = severity
        self.bot = bot
        self.state = state
        self.condition = condition
        self.value = value
        self.labels = labels
        self.sinceUnixNanoseconds = sinceUnixNanoseconds
    }
}
