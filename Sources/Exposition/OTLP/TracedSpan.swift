package import Series

/// One record of a duration with a trace id.
package struct TracedSpan: Sendable {
    package var source: TraceSource
    /// Not 0.
    package var traceID: TraceID
    /// The span's own id, if the bot gave it one; 0 if the id is made from the record's place.
    package var ownID: UInt64
    /// The id of the parent span; 0 if the span is the first of its trace, or the parent is unknown.
    package var parentID: UInt64
    /// Whether the parent is a span of another program.
    package var isParentRemote: Bool
    /// The parts of it that are unknown.
    package var loss: Loss
    /// The record's place in its ring. Together with the ring it distinguishes the span from every other.
    package var index: UInt64
    /// The time of the record.
    package var endUnixNanoseconds: Int64
    package var durationNanoseconds: Int64
    /// The number of spans that this one was sampled from, if the bot samples.
    package var weight: UInt32
    package var hasFailed: Bool

    package init(
        source: TraceSource, traceID: TraceID, ownID: UInt64 = 0, parentID: UInt64 = 0, isParentRemote: Bool = false,
        loss: Loss = [], index: UInt64, endUnixNanoseconds: Int64, durationNanoseconds: Int64, weight: UInt32,
        hasFailed: Bool
    ) {
        self.source = source
        self.traceID = traceID
        self.ownID = ownID
        self.parentID = parentID
        self.isParentRemote = isParentRemote
        self.loss = loss
        self.index = index
        self.endUnixNanoseconds = endUnixNanoseconds
        self.durationNanoseconds = durationNanoseconds
        self.weight = weight
        self.hasFailed = hasFailed
    }
}

extension TracedSpan {
    /// The parts that were overwritten in the ring before they were read.
    package struct Loss: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The origin of its trace. The high half of the trace's id is then the life's prefix, because the true one is
        /// lost.
        package static let context = Loss(rawValue: 1)
        /// The span's own id and its parent.
        package static let parent = Loss(rawValue: 2)
    }
}

/// The metric whose records become spans. All spans of a metric of one ring share one.
package final class TraceSource: Sendable {
    package let bot: String
    package let botLabels: [Label]
    /// The ring's lane; "" if it has none.
    package let lane: String
    package let metric: String
    package let labels: [Label]
    /// A number that differs for each ring.
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
    /// The span's id. Without an id of its own, it is made from the ring and the record alone, so that a span that is
    /// sent twice has the same id. It is never zero, which the protocol forbids.
    var spanID: [UInt8] {
        if ownID != 0 { return ownID.bigEndianBytes }
        // Vigna's finalizer of splitmix64 is a permutation, so no two records of one ring share an id.
        var mixed = source.ringSeed &+ index &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return (mixed == 0 ? 1 : mixed).bigEndianBytes
    }
}

extension TraceID {
    /// The protocol's form: 16 bytes, the highest first.
    var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}

extension UInt64 {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
