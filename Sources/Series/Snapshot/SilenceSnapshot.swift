/// An operator's order to send no notices of some alerts for a while.
package struct SilenceSnapshot: Equatable, Sendable {
    /// The number by which the operator ends it.
    package var number: UInt64
    /// Patterns of the alerts and bots that it covers.
    package var alert: String
    package var bot: String
    package var reason: String
    package var sinceUnixNanoseconds: Int64
    /// By the present wall clock.
    package var untilUnixNanoseconds: Int64

    package init(
        number: UInt64, alert: String, bot: String, reason: String, sinceUnixNanoseconds: Int64,
        untilUnixNanoseconds: Int64
    ) {
        self.number = number
        self.alert = alert
        self.bot = bot
        self.reason = reason
        self.sinceUnixNanoseconds = sinceUnixNanoseconds
        self.untilUnixNanoseconds = untilUnixNanoseconds
    }
}
