internal import Sketch

/// Which kind of value follows.
enum ValueTag: UInt8 {
    case counter
    case gauge
    case histogram
}

extension MinuteValue {
    var tag: ValueTag {
        switch self {
        case .counter: .counter
        case .gauge: .gauge
        case .histogram: .histogram
        }
    }
}

extension PackedWriter {
    /// One value by itself: in a minute that is not packed yet, and in a base.
    mutating func write(_ value: MinuteValue) {
        bytes.append(value.tag.rawValue)
        switch value {
        case .counter(let increase): write(increase)
        case .gauge(let gauge):
            write(gauge.minimum)
            write(gauge.maximum)
            write(gauge.last)
        case .histogram(let minute):
            write(minute.calls)
            write(minute.failed)
            write(minute.sum)
            write(minute.minimum)
            write(minute.maximum)
            write(minute.sketch.zeroCount)
            write(buckets: minute.sketch.positive)
            write(buckets: minute.sketch.negative)
        }
    }

    /// Each index as its distance from the one before, which is 1 nearly always.
    private mutating func write(buckets: [SketchSnapshot.Bucket]) {
        write(UInt64(buckets.count))
        var previous: Int64 = 0
        for bucket in buckets {
            write(Int64(bucket.index) - previous)
            write(bucket.count)
            previous = Int64(bucket.index)
        }
    }
}

extension PackedReader {
    mutating func tag() throws(HistoryDamage) -> ValueTag {
        guard let tag = ValueTag(rawValue: try byte()) else { throw HistoryDamage("a value is of no kind") }
        return tag
    }

    mutating func value() throws(HistoryDamage) -> MinuteValue {
        switch try tag() {
        case .counter: return .counter(try double())
        case .gauge:
            return .gauge(GaugeMinute(minimum: try double(), maximum: try double(), last: try double()))
        case .histogram:
            let (calls, failed) = (try unsigned(), try unsigned())
            let (sum, minimum, maximum) = (try double(), try double(), try double())
            let zeroCount = try unsigned()
            let sketch = SketchSnapshot(
                scale: BucketIndexer.scale, positive: try buckets(), negative: try buckets(), zeroCount: zeroCount)
            return .histogram(
                HistogramMinute(
                    calls: calls, failed: failed, sum: sum, minimum: minimum, maximum: maximum, sketch: sketch))
        }
    }

    private mutating func buckets() throws(HistoryDamage) -> [SketchSnapshot.Bucket] {
        let count = try count()
        var buckets: [SketchSnapshot.Bucket] = []
        buckets.reserveCapacity(count)
        var index: Int64 = 0
        for _ in 0..<count {
            index = try Self.step(index, by: try signed())
            buckets.append(SketchSnapshot.Bucket(index: Int32(truncatingIfNeeded: index), count: try unsigned()))
        }
        return buckets
    }

    /// Within what a sketch can hold.
    @inline(__always)
    static func step(_ index: Int64, by distance: Int64) throws(HistoryDamage) -> Int64 {
        let next = index &+ distance
        guard next >= Int64(BucketIndexer.lowestIndex), next <= Int64(BucketIndexer.overflowIndex) else {
            throw HistoryDamage("a bucket is none")
        }
        return next
    }
}
