package import CRingside

/// The trace that a record belongs to, and its place there.
package struct RecordTrace: Equatable, Sendable {
    /// The two halves of the trace's id; not both 0.
    package let high: UInt64
    package let low: UInt64
    /// The id of the span that the record is of; 0 where the record says none.
    package let spanID: UInt64
    /// The span's parent; 0 none, or nothing says which.
    package let parentID: UInt64
    /// Whether the parent is a span of the calling program.
    package let isParentRemote: Bool
    /// The sampled flag of W3C Trace Context. Without it the trace is for no store.
    package let isSampled: Bool
    /// What the record says that there was, and that was overwritten before it was read: the context that the trace came with, so
    /// that the high half is the life's prefix for want of the true one, and the record of its place in the trace.
    package let loss: Loss

    package struct Loss: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let context = Loss(rawValue: 1)
        package static let link = Loss(rawValue: 2)
    }
}

/// Tells of each record of a ring which trace it belongs to. To be given the records in their order.
///
/// It keeps the contexts that were read last, 8,192 to 16,384 of them, and no memory where there are none. Whatever the bytes are, it
/// does no more than say something wrong of a trace.
package struct TraceReading: Sendable {
    private struct Context {
        let high: UInt64
        let low: UInt64
        let parentID: UInt64
        let isSampled: Bool
    }

    private struct Link {
        let index: UInt64
        let word: UInt64
        let spanID: UInt64
        let parentID: UInt64
        let bits: UInt32
    }

    private static let generationLimit = 8192
    /// Records that ``lookBack(_:before:)`` looks at, at most.
    private static let lookBackLimit: UInt64 = 1 << 17

    /// By the word that their records carry.
    private var recent: [UInt64: Context] = [:]
    private var earlier: [UInt64: Context] = [:]
    private var link: Link?

    package init() {}

    /// Takes note of a context or of a span's place; other kinds are passed over, and so is what cannot be one.
    ///
    /// - Parameters:
    ///   - record: a whole record,
    ///   - index: of this place.
    package mutating func note(_ record: ringside_record, at index: UInt64) {
        var record = record
        let bits = ringside_record_weight(&record)
        switch ringside_record_kind(&record) {
        case RINGSIDE_RECORD_TRACE_CONTEXT.rawValue:
            let context = Context(
                high: record.time, low: record.trace_id, parentID: record.value, isSampled: Self.isSampled(bits))
            guard context.high | context.low != 0, context.parentID != 0 else { return }
            if recent.count >= Self.generationLimit { (earlier, recent) = (recent, [:]) }
            recent[context.low != 0 ? context.low : context.high] = context
        case RINGSIDE_RECORD_SPAN_LINK.rawValue:
            guard record.time != 0, record.trace_id != 0 else { return }
            link = Link(
                index: index, word: record.trace_id, spanID: record.time, parentID: record.value, bits: bits)
        default: break
        }
    }

    private static func isSampled(_ bits: UInt32) -> Bool { bits & UInt32(RINGSIDE_TRACE_SAMPLED) != 0 }

    /// The trace of a sample; nil where it has none.
    ///
    /// - Parameters:
    ///   - word: the record's `trace_id`,
    ///   - flags: its flags,
    ///   - index: its place.
    ///   - prefix: of the life that wrote it.
    package func trace(word: UInt64, flags: UInt32, at index: UInt64, prefix: UInt64) -> RecordTrace? {
        guard word != 0 else { return nil }
        let context = recent[word] ?? earlier[word]
        let isLinked = flags & UInt32(RINGSIDE_FLAG_LINKED) != 0
        let isInContext = flags & UInt32(RINGSIDE_FLAG_IN_CONTEXT) != 0
        // A record that carries the trace's word alone is of the part that the calling program's span began.
        let caller = isLinked || isInContext ? nil : context?.parentID
        let found = isLinked ? link.flatMap { $0.index &+ 1 == index && $0.word == word ? $0 : nil } : nil
        var loss: RecordTrace.Loss = []
        if isLinked, found == nil { loss.insert(.link) }
        if context == nil, isInContext { loss.insert(.context) }
        return RecordTrace(
            high: context?.high ?? prefix, low: context?.low ?? word, spanID: found?.spanID ?? 0,
            parentID: found?.parentID ?? caller ?? 0,
            isParentRemote: found.map { $0.bits & UInt32(RINGSIDE_LINK_REMOTE_PARENT) != 0 && $0.parentID != 0 }
                ?? (caller != nil),
            isSampled: found.map { Self.isSampled($0.bits) } ?? context?.isSampled ?? true, loss: loss)
    }

    /// Takes note of the contexts that the ring still holds from before the first record that will be read: of a reader that does
    /// not begin at the oldest. Looks at the last 131,072 records at most, 1 ns each; at none of a ring of version 1.0.
    package mutating func lookBack(_ segment: Segment, before first: UInt64) {
        let capacity = segment.geometry.capacity
        guard segment.geometry.versionMinor > 0, segment.geometry.producer.itemCount > 0,
            UInt64(segment.geometry.records.itemCount) == capacity
        else { return }
        let head = segment.position
        let oldest = segment.oldestHeld(head: head)
        guard first > oldest, first <= head else { return }
        var index = max(oldest, first - min(first, Self.lookBackLimit))
        withUnsafeTemporaryAllocation(of: ringside_record.self, capacity: RingCursor.batchLimit) { buffer in
            let batch = buffer.baseAddress!
            while index < first {
                // A position may be any number: no sum here may reach beyond it.
                let end = index + min(first - index, UInt64(RingCursor.batchLimit))
                let whole = ringside_copy_records(
                    segment.records, segment.geometry.shift, segment.positionWord, index, end, batch)
                for place in whole..<end {
                    let record = batch + Int(place - index)
                    guard ringside_record_kind(record) == RINGSIDE_RECORD_TRACE_CONTEXT.rawValue,
                        ringside_record_is_valid(record, place, segment.geometry.shift) != 0
                    else { continue }
                    note(record.pointee, at: place)
                }
                index = end
            }
        }
    }
}
