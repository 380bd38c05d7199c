internal import Sketch

/// The kind of the value that follows.
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
    /// Writes one value by itself: in a minute that is not packed yet, or in a base.
    mutating func write(_ value: MinuteValue) {
        write(value.tag)
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
            write(weights: [minute.weights])
        }
    }

    mutating func write(_ tag: ValueTag) {
        bytes.append(tag == .histogram ? PackedReader.weightedHistogram : tag.rawValue)
    }

    /// Writes a byte that tells whether weights follow, then the weights. None follow if all calls are recorded.
    mutating func write(weights: [SampleWeights]) {
        let areNone = weights.allSatisfy { $0 == .none }
        bytes.append(areNone ? 0 : 1)
        guard !areNone else { return }
        for one in weights { write(one.unrecorded) }
        for one in weights { write(one.unknown) }
        write(planes: weights.map(\.squaredExcess))
    }

    /// Writes each index as the difference from the one before, which is nearly always 1.
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
    /// The tag of a histogram with weights. Format 1 wrote ``ValueTag/histogram`` and no weights.
    static let weightedHistogram: UInt8 = 3

    mutating func tag() throws(HistoryDamage) -> (tag: ValueTag, hasWeights: Bool) {
        let byte = try byte()
        if byte == Self.weightedHistogram { return (.histogram, true) }
        guard let tag = ValueTag(rawValue: byte) else { throw HistoryDamage("a value is of no known kind") }
        return (tag, false)
    }

    /// - Parameter counts: the count of the values of each minute.
    mutating func weights(counts: [UInt64], areThere: Bool) throws(HistoryDamage) -> [SampleWeights] {
        guard areThere else { return counts.map { SampleWeights(unknown: $0) } }
        var weights = Array(repeating: SampleWeights.none, count: counts.count)
        guard try byte() != 0 else { return weights }
        for place in weights.indices { weights[place].unrecorded = try unsigned() }
        for place in weights.indices { weights[place].unknown = try unsigned() }
        for (place, excess) in try planes(count: counts.count).enumerated() { weights[place].squaredExcess = excess }
        guard weights.allSatisfy(\.isValid) else { throw HistoryDamage("the weights of values are not valid") }
        return weights
    }

    mutating func value() throws(HistoryDamage) -> MinuteValue {
        let (tag, hasWeights) = try tag()
        switch tag {
        case .counter: return .counter(try double())
        case .gauge:
            return .gauge(GaugeMinute(minimum: try double(), maximum: try double(), last: try double()))
        case .histogram:
            let (calls, failed) = (try unsigned(), try unsigned())
            let (sum, minimum, maximum) = (try double(), try double(), try double())
            let zeroCount = try unsigned()
            let sketch = SketchSnapshot(
                scale: BucketIndexer.scale, positive: try buckets(), negative: try buckets(), zeroCount: zeroCount)
            let weights = try weights(counts: [sketch.wrappingCount], areThere: hasWeights)[0]
            return .histogram(
                HistogramMinute(
                    calls: calls, failed: failed, sum: sum, minimum: minimum, maximum: maximum, sketch: sketch,
                    weights: weights))
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

    /// Returns the index at a distance from another. Refuses an index that a sketch cannot hold.
    @inline(__always)
    static func step(_ index: Int64, by distance: Int64) throws(HistoryDamage) -> Int64 {
        let next = index &+ distance
        guard next >= Int64(BucketIndexer.lowestIndex), next <= Int64(BucketIndexer.overflowIndex) else {
            throw HistoryDamage("a bucket is not valid")
        }
        return next
    }
}

extension SketchSnapshot {
    /// The total count. It wraps if the bytes claim more than 64 bits can hold.
    var wrappingCount: UInt64 {
        positive.reduce(zeroCount) { $0 &+ $1.count } &+ negative.reduce(0) { $0 &+ $1.count }
    }
}
