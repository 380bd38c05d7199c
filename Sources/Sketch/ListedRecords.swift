/// A record in a list: its time on the series' clock, and its value.
struct ListedRecord {
    enum Encoding: UInt8 {
        /// A whole number of units, such as clock ticks.
        case units
        case nanoseconds
        /// The bits of a double that is not NaN.
        case number
    }

    var time: Int64
    var bits: UInt64
}

/// Listed records. Each is decoded once for all windows, has a weight of one, and did not fail.
package struct ListedRecords {
    package let count: Int
    /// The times, in the order in which the records came.
    package let times: UnsafePointer<Int64>
    /// The places of their buckets, as ``SignedBucketKey`` stores them.
    let keys: UnsafePointer<Int32>
    private let values: UnsafePointer<Double>
    private let records: UnsafePointer<ListedRecord>
    private let encoding: ListedRecord.Encoding
    private let valuePerUnit: Double

    static func with(
        _ records: UnsafeBufferPointer<ListedRecord>, _ encoding: ListedRecord.Encoding, valuePerUnit: Double,
        _ indexer: BucketIndexer, _ body: (ListedRecords) -> Void
    ) {
        let count = records.count
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: count) { times in
            withUnsafeTemporaryAllocation(of: Double.self, capacity: count) { values in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: count) { keys in
                    for index in 0..<count {
                        let value = encoding.value(records[index].bits, valuePerUnit: valuePerUnit)
                        times[index] = records[index].time
                        values[index] = value
                        keys[index] = Int32(truncatingIfNeeded: SignedBucketKey(value: value, indexer).rawValue)
                    }
                    body(
                        ListedRecords(
                            count: count, times: UnsafePointer(times.baseAddress.unsafelyUnwrapped),
                            keys: UnsafePointer(keys.baseAddress.unsafelyUnwrapped),
                            values: UnsafePointer(values.baseAddress.unsafelyUnwrapped),
                            records: records.baseAddress.unsafelyUnwrapped, encoding: encoding,
                            valuePerUnit: valuePerUnit))
                }
            }
        }
    }

    /// Returns the sum and the extremes of a range of records.
    package func tally(_ range: Range<Int>) -> Tally {
        var tally = Tally(valuePerUnit: encoding == .units ? valuePerUnit : 1)
        for index in range {
            tally.widen(by: values[index])
            if encoding == .units {
                tally.sum.add(units: Int64(bitPattern: records[index].bits), weight: 1)
            } else if values[index].isFinite {
                tally.sum.add(values[index])
            }
        }
        return tally
    }

    /// Counts the records in buckets that edges cut.
    func note(in counts: EdgeCutCounts, _ cutBits: UnsafePointer<UInt64>) {
        for index in 0..<count {
            let bits = values[index].bitPattern
            if BucketLayout.isFine(normalBits: bits),
                !EdgeCuts.isCut(SignedBucketKey(rawValue: Int(keys[index])).positivePlace, cutBits)
            {
                continue
            }
            let number = Int64(bitPattern: records[index].bits)
            switch encoding {
            case .units:
                counts.note(values[index], weight: 1) {
                    number <= IntervalSketch.units(within: $0, valuePerUnit)
                }
            case .nanoseconds:
                counts.note(values[index], weight: 1) { number <= IntervalSketch.units(within: $0, 1e-9) }
            case .number: counts.note(values[index], weight: 1) { values[index] <= $0 }
            }
        }
    }
}

extension ListedRecord.Encoding {
    @inline(__always)
    fileprivate func value(_ bits: UInt64, valuePerUnit: Double) -> Double {
        switch self {
        case .units: Double(Int64(bitPattern: bits)) * valuePerUnit
        case .nanoseconds: Double(Int64(bitPattern: bits)) * 1e-9
        case .number: Double(bitPattern: bits)
        }
    }
}
