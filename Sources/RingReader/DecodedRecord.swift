package import CRingside

/// One record, its four words taken apart and checked in itself; what its metric says of it is for the caller.
package struct DecodedRecord: Equatable, Sendable {
    package enum Kind: UInt32, Sendable {
        /// One value of a histogram.
        case sample = 1
        /// A gauge that was set.
        case gauge = 2

        package var name: String { self == .sample ? "sample" : "gauge" }
    }

    package enum Encoding: UInt32, Sendable {
        case ticks = 1
        case nanoseconds = 2
        /// In the metric's number type and unit.
        case number = 3

        package var name: String {
            switch self {
            case .ticks: "ticks"
            case .nanoseconds: "nanoseconds"
            case .number: "number"
            }
        }
    }

    /// The record's place in the ring's endless sequence, from 0.
    package let index: UInt64
    package let kind: Kind
    package let encoding: Encoding
    package let metricID: Int
    /// How many calls it stands for.
    package let weight: UInt32
    /// Ticks of the life's clock; of a span its end. Nil without a time.
    package let timeTicks: UInt64?
    package let valueBits: UInt64
    package let isFailed: Bool
    package let isAbandoned: Bool
    /// 0 none.
    package let traceID: UInt64
    /// Flag bits that this version leaves at zero.
    package let reservedFlags: UInt32

    /// - Parameters:
    ///   - record: A whole copy.
    ///   - index: The place that it was copied from.
    ///   - shift: Of the ring's capacity.
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
        reservedFlags = flags & 0xfc00
    }
}

/// Why the bytes of a slot are not the record that belongs there.
package enum RecordDefect: Error, Equatable, Sendable, CustomStringConvertible {
    case untouched
    case lap(found: UInt64, expected: UInt64)
    case kind(UInt32)
    case encoding(UInt32)

    package var description: String {
        switch self {
        case .untouched: "kind 0, which is untouched memory; expected a record"
        case .lap(let found, let expected): "lap \(found), expected \(expected)"
        case .kind(let code): "kind \(code), expected 1 (sample) or 2 (gauge)"
        case .encoding(let code): "value encoding \(code), expected 1 (ticks), 2 (nanoseconds) or 3 (number)"
        }
    }
}

/// What a record's value means.
package enum RecordValue: Equatable, Sendable {
    case seconds(Double)
    /// A duration of which nothing says how long a tick was.
    case ticks(UInt64)
    /// In the metric's unit.
    case quantity(Quantity)
}

extension DecodedRecord {
    /// The value, by what the metric and the life say; nil for a number of an unknown metric.
    package func value(of metric: Metric?, clock: LifeClock?) -> RecordValue? {
        switch encoding {
        case .nanoseconds: .seconds(Double(valueBits) / 1e9)
        case .ticks: clock.map { .seconds($0.seconds(ofTicks: valueBits)) } ?? .ticks(valueBits)
        case .number: metric.map { .quantity(Quantity(bits: valueBits, type: $0.numberType)) }
        }
    }
}
