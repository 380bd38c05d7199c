package import CRingside

/// One record. Its four words are decoded and checked on their own; the caller checks it against its metric.
package struct DecodedRecord: Equatable, Sendable {
    package enum Kind: UInt32, Sendable {
        /// One value of a histogram.
        case sample = 1
        /// One set of a gauge.
        case gauge = 2
        /// The origin of a trace; no value.
        case traceContext = 3
        /// The place in its trace of the span in the next record; no value.
        case spanLink = 4

        package var name: String {
            switch self {
            case .sample: "sample"
            case .gauge: "gauge"
            case .traceContext: "trace_context"
            case .spanLink: "span_link"
            }
        }

        /// Whether a record of this kind contains a value of its metric.
        package var isMeasurement: Bool { self == .sample || self == .gauge }
    }

    package enum Encoding: UInt32, Sendable {
        case ticks = 1
        case nanoseconds = 2
        /// A number in the metric's number type and unit.
        case number = 3

        package var name: String {
            switch self {
            case .ticks: "ticks"
            case .nanoseconds: "nanoseconds"
            case .number: "number"
            }
        }
    }

    /// The record's index in the ring's endless sequence, from 0.
    package let index: UInt64
    package let kind: Kind
    package let encoding: Encoding
    package let metricID: Int
    /// The number of calls that the record stands for.
    package let weight: UInt32
    /// The time in ticks of the life's clock; for a span, the time of its end. Nil without a time.
    package let timeTicks: UInt64?
    package let valueBits: UInt64
    package let isFailed: Bool
    package let isAbandoned: Bool
    /// The word that ties the record to its trace, see ``TraceReading``; 0 for none.
    package let traceID: UInt64
    /// All flags, as they are in the record.
    package let flags: UInt32
    /// Flag bits that this version leaves at zero.
    package let reservedFlags: UInt32

    /// - Parameters:
    ///   - record: A complete copy.
    ///   - index: The index that it was copied from.
    ///   - shift: The base-2 logarithm of the ring's capacity.
    package init(_ record: ringside_record, index: UInt64, shift: UInt32) throws(RecordDefect) {
        var record = record
        let flags = ringside_record_flags(&record)
        let kindCode = ringside_record_kind(&record)
        guard kindCode != 0 else { throw .untouched }
        let lap = record.meta >> 48
        guard lap == ringside_lap(index, shift) else { throw .lap(found: lap, expected: ringside_lap(index, shift)) }
        guard let kind = Kind(rawValue: kindCode) else { throw .kind(kindCode) }
        let encodingCode = ringside_record_encoding(&record)
        guard let encoding = Encoding(rawValue: encodingCode) else { throw .encoding(encodingCode) }
        self.index = index
        self.kind = kind
        self.encoding = encoding
        metricID = Int(ringside_record_metric(&record))
        weight = ringside_record_weight(&record)
        timeTicks = flags & UInt32(RINGSIDE_FLAG_HAS_TIME) != 0 ? record.time : nil
        valueBits = record.value
        isFailed = flags & UInt32(RINGSIDE_FLAG_FAILED) != 0
        isAbandoned = flags & UInt32(RINGSIDE_FLAG_ABANDONED) != 0
        traceID = record.trace_id
        self.flags = flags
        reservedFlags = flags & 0xf000
        timeWord = record.time
        metaWord = record.meta
    }

    /// The words from which ``timeTicks`` and the other figures were decoded.
    private let timeWord: UInt64
    private let metaWord: UInt64

    /// The record in the ring's form.
    var words: ringside_record {
        ringside_record(time: timeWord, value: valueBits, meta: metaWord, trace_id: traceID)
    }
}

/// The reason why a slot's bytes are not the record that belongs there.
package enum RecordDefect: Error, Equatable, Sendable, CustomStringConvertible {
    case untouched
    case lap(found: UInt64, expected: UInt64)
    case kind(UInt32)
    case encoding(UInt32)

    package var description: String {
        switch self {
        case .untouched: "kind 0, which is untouched memory; expected a record"
        case .lap(let found, let expected): "lap \(found), expected \(expected)"
        case .kind(let code): "kind \(code), expected 1 (sample), 2 (gauge), 3 (trace context) or 4 (span link)"
        case .encoding(let code): "value encoding \(code), expected 1 (ticks), 2 (nanoseconds) or 3 (number)"
        }
    }
}

/// The meaning of a record's value.
package enum RecordValue: Equatable, Sendable {
    case seconds(Double)
    /// A duration in ticks of unknown length.
    case ticks(UInt64)
    /// A number in the metric's unit.
    case quantity(Quantity)
}

extension DecodedRecord {
    /// Returns the value, by the metric and the life's clock. Returns nil for a number of an unknown metric, and for a
    /// record without a value.
    package func value(of metric: Metric?, clock: LifeClock?) -> RecordValue? {
        guard kind.isMeasurement else { return nil }
        return switch encoding {
        case .nanoseconds: .seconds(Double(valueBits) / 1e9)
        case .ticks: clock.map { .seconds($0.seconds(ofTicks: valueBits)) } ?? .ticks(valueBits)
        case .number: metric.map { .quantity(Quantity(bits: valueBits, type: $0.numberType)) }
        }
    }
}
