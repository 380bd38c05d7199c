package import Series

/// One record of a duration that carried a trace id: what happened, and when.
package struct TracedSpan: Sendable {
    package var source: TraceSource
    /// As the bot gave it; not 0.
    package var traceID: UInt64
    /// The record's place in its ring: with the ring it tells the span from every other.
    package var index: UInt64
    /// The record's time.
    package var endUnixNanoseconds: Int64
    package var durationNanoseconds: Int64
    /// Of how many spans this one was chosen, where the bot samples.
    package var weight: UInt32
    package var hasFailed: Bool

    package init(
        source: TraceSource, traceID: UInt64, index: UInt64, endUnixNanoseconds: Int64, durationNanoseconds: Int64,
        weight: UInt32, hasFailed: Bool
    ) {
        self.source = source
        self.traceID = traceID
        self.index = index
        self.endUnixNanoseconds = endUnixNanoseconds
        self.durationNanoseconds = durationNanoseconds
        self.weight = weight
        self.hasFailed = hasFailed
    }
}

/// The metric whose records spans are made of: one for all spans of a metric of one ring.
package final class TraceSource: Sendable {
    package let bot: String
    package let botLabels: [Label]
    /// "" of a ring without one.
    package let lane: String
    package let metric: String
    package let labels: [Label]
    /// Different for each ring.
    package let ringSeed: UInt64

    package init(
        bot: String, botLabels: [Label], lane: String, metric: String, labels: [Label], ringSeed: UInt64
    ) {
        self.bot = bot
        self.botLabels = botLabels
        self.lane = lane
        self.metric = metric
        self.labels = labels
        self.ringSeed = ringSeed
    }
}

extension TracedSpan {
    /// Made of the ring and the record alone, so that a span that is sent twice is one. Never zero, which the protocol forbids.
    var spanID: [UInt8] {
        // Vigna's finalizer of splitmix64: a permutation, so that no two records of one ring share an id.
        var mixed = source.ringSeed &+ index &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return (mixed == 0 ? 1 : mixed).bigEndianBytes
    }
}

extension UInt64 {
    /// As a trace id of the protocol's 16 bytes: eight zero bytes, then the bot's number with its highest byte first, as B3
    /// widens ids of 64 bits.
    var wideTraceID: [UInt8] { [UInt8](repeating: 0, count: 8) + bigEndianBytes }

    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
