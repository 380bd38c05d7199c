internal import CRingside

// For a producer that reads its work from a file: after it has died, the cells show how far it had come.

extension Counter {
    /// The cell's value. 1 ns.
    package var total: UInt64 { ringside_load_relaxed_64(&producer.pointee.cells[Int(id)].first) }
}

extension FractionalCounter {
    /// The cell's value.
    package var total: Double {
        Double(bitPattern: ringside_load_relaxed_64(&producer.pointee.cells[Int(id)].first))
    }
}

extension Histogram {
    /// The number of calls so far, including those for which sampling wrote no record.
    package var calls: UInt64 { ringside_load_relaxed_64(&producer.pointee.cells[Int(id)].first) }

    /// Writes the record of a call that is already counted, if the producer died between counting and writing.
    package func recordCounted(_ value: Double) {
        producer.exclusively {
            let flags = UInt32(RINGSIDE_RECORD_SAMPLE.rawValue) | numberFlags
            ringside_write($0, 0, value.bitPattern, ringside_meta(id, 1, flags), 0)
        }
    }
}

extension Gauge {
    /// Writes a record of the gauge's value at an earlier time, and leaves its present value alone. 2 ns.
    package func record(_ value: Double, at time: Instant) {
        producer.exclusively {
            guard ringside_is_enabled($0, id) != 0, !value.isNaN else { return }
            let flags = UInt32(RINGSIDE_RECORD_GAUGE.rawValue) | UInt32(RINGSIDE_FLAG_HAS_TIME) | numberFlags
            ringside_write($0, time.ticks, value.bitPattern, ringside_meta(id, 1, flags), 0)
        }
    }
}

private let numberFlags = RINGSIDE_ENCODING_NUMBER.rawValue << UInt32(RINGSIDE_FLAG_ENCODING_SHIFT)
