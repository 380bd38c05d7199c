/// How one alert of one bot stands.
package struct AlertSnapshot: Equatable, Sendable {
    package enum State: String, Sendable {
        /// Its condition does not hold.
        case inactive
        /// Its condition holds, and not yet for long enough.
        case pending
        case firing
    }

    package var alert: String
    package var severity: String
    package var bot: String
    package var state: State
    /// What the condition is, such as `p99 of x_seconds over 1m > 0.005 for 1m`.
    package var condition: String
    /// What was measured last; of several series the one furthest beyond the threshold.
    package var value: Double?
    /// The labels of that series; empty where several are summed.
    package var labels: [Label]
    /// Since when the state holds, in nanoseconds since the Unix epoch.
    package var sinceUnixNanoseconds: Int64

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
