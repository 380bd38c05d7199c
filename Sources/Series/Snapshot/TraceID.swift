/// The 128 bits that identify a trace.
package struct TraceID: Sendable, Hashable {
    /// For a trace that began in a bot, the random prefix of the bot's life; 0 if the bot's ring has none.
    package var high: UInt64
    /// For a trace that began in a bot, the bot's own number.
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package var isZero: Bool { high | low == 0 }
}
