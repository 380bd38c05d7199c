package import CRingside

/// The trace that a record belongs to, and its place in it.
package struct RecordTrace: Equatable, Sendable {
    /// The two halves of the trace's id; not both 0.
    package let high: UInt64
    package let low: UInt64
    /// The id of the record's span; 0 if the record does not give one.
    package let spanID: UInt64
    /// The id of the span's parent; 0 if there is none, or it is unknown.
    package let parentID: UInt64
    /// Whether the parent is a span of the calling program.
    package let isParentRemote: Bool
    /// The sampled flag of W3C Trace Context. A trace without it must not be sent to a store.
    package let isSampled: Bool
    /// The records about the trace that must have existed but were overwritten before they were read. Without the
    /// context the high half of the id is the life's prefix instead of the true one. Without the link the record's
    /// place in the trace is unknown.
    package let loss: Loss

    package struct Loss: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let context = Loss(rawValue: 1)
        package static let link = Loss(rawValue: 2)
    }
}

/// Finds the trace of each record of a ring. It must receive the records in their order.
///
/// It keeps the contexts that were read last, 8,192 to 16,384 of them, and uses no memory if there are none. Invalid
/// bytes can at most cause a wrong trace.
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
    /// The greatest number of records that ``lookBack(_:before:)`` reads.
    private static let lookBackLimit: UInt64 = 1 << 17

    /// The contexts by the word that their records carry.
    private var recent: [UInt64: Context] = [:]
    private var earlier: [UInt64: Context] = [:]
    private var link: Link?

    package init() {}

    /// Records a context or a span's place. Ignores other kinds, and invalid records.
    ///
    /// - Parameters:
    ///   - record: A whole record.
    ///   - index: The index of the record.
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

    /// Returns the trace of a sample; nil if it has none.
    ///
    /// - Parameters:
    ///   - word: The record's `trace_id`.
    ///   - flags: The record's flags.
    ///   - index: The record's index.
    ///   - prefix: The trace prefix of the life that wrote it.
    package func trace(word: UInt64, flags: UInt32, at index: UInt64, prefix: UInt64) -> RecordTrace? {
        guard word != 0 else { return nil }
        let context = recent[word] ?? earlier[word]
        let isLinked = flags & UInt32(RINGSIDE_FLAG_LINKED) != 0
        let isInContext = flags & UInt32(RINGSIDE_FLAG_IN_CONTEXT) != 0
        // A record with only the trace's word belongs to the part of the trace that the calling program's span began.
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

    /// Records the contexts that the ring still contains from before the first record that will be read, for a reader
    /// that does not begin at the oldest record. Reads the last 131,072 records at most, 1 ns each; none of a ring of
    /// version 1.0.
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
                // A position may be any number, so no sum here may exceed it.
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
