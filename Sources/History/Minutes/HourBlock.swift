internal import Sketch

/// One series over one hour. Its minutes are stored by column, so that values that repeat from minute to minute are
/// adjacent and compress. Idle minutes are left out.
///
/// Layout after the checksum and the length: the kind, the number of minutes, their numbers in the hour (0 to 59,
/// ascending), then the columns of that kind. Doubles are stored as planes of their bytes. Buckets are stored as two
/// streams: the differences of their indexes, and the counts.
struct HourBlock: Equatable {
    var tag: ValueTag
    /// Indexed by the minute's number in the hour; nil if it was idle.
    var minutes: [MinuteValue?]

    static let minutesPerHour = 60

    init(tag: ValueTag) {
        self.tag = tag
        minutes = Array(repeating: nil, count: Self.minutesPerHour)
    }

    /// Adds a value to a minute. Ignores an idle value, and a value of another kind than the block.
    mutating func merge(_ value: MinuteValue, atMinute minute: Int) {
        guard !value.isIdle, value.tag == tag else { return }
        if minutes[minute] == nil { minutes[minute] = value } else { minutes[minute]?.merge(value) }
    }

    // MARK: Writing

    var sealed: [UInt8] {
        var writer = PackedWriter()
        writer.write(tag)
        let present = minutes.indices.filter { minutes[$0] != nil }
        writer.bytes.append(UInt8(present.count))
        writer.bytes += present.map { UInt8($0) }
        let values = present.compactMap { minutes[$0] }
        switch tag {
        case .counter: writer.write(counters: values.map { if case .counter(let value) = $0 { value } else { 0 } })
        case .gauge: writer.write(gauges: values.compactMap { if case .gauge(let value) = $0 { value } else { nil } })
        case .histogram:
            writer.write(histograms: values.compactMap { if case .histogram(let value) = $0 { value } else { nil } })
        }
        return SealedBytes.seal(writer.bytes, compressing: true)
    }

    // MARK: Reading

    init(sealed: [UInt8]) throws(HistoryDamage) {
        var reader = PackedReader(try SealedBytes.open(sealed))
        let (tag, hasWeights) = try reader.tag()
        self.init(tag: tag)
        let count = Int(try reader.byte())
        let present = Array(try reader.slice(count: count))
        guard present.allSatisfy({ $0 < Self.minutesPerHour }),
            zip(present, present.dropFirst()).allSatisfy({ $0 < $1 })
        else { throw HistoryDamage("the minutes of an hour are not valid") }
        let values: [MinuteValue]
        switch tag {
        case .counter: values = try reader.counters(count: count).map { .counter($0) }
        case .gauge: values = try reader.gauges(count: count).map { .gauge($0) }
        case .histogram: values = try reader.histograms(count: count, hasWeights).map { .histogram($0) }
        }
        guard reader.isAtEnd else { throw HistoryDamage("an hour is longer than its header says") }
        for (minute, value) in zip(present, values) { minutes[Int(minute)] = value }
    }
}

extension PackedWriter {
    fileprivate mutating func write(counters: [Double]) {
        let whole = counters.compactMap { Int64(exactly: $0) }
        let areWhole = whole.count == counters.count
        bytes.append(areWhole ? 1 : 0)
        if areWhole { for value in whole { write(value) } } else { write(planes: counters) }
    }

    fileprivate mutating func write(gauges: [GaugeMinute]) {
        write(planes: gauges.map(\.last))
        write(planes: gauges.map(\.minimum))
        write(planes: gauges.map(\.maximum))
    }

    fileprivate mutating func write(histograms: [HistogramMinute]) {
        for minute in histograms { write(minute.calls) }
        for minute in histograms { write(minute.failed) }
        for minute in histograms { write(minute.sketch.zeroCount) }
        write(planes: histograms.map(\.sum))
        write(planes: histograms.map(\.minimum))
        write(planes: histograms.map(\.maximum))
        write(buckets: histograms.map(\.sketch.positive))
        write(buckets: histograms.map(\.sketch.negative))
        write(weights: histograms.map(\.weights))
    }

    private mutating func write(buckets: [[SketchSnapshot.Bucket]]) {
        for minute in buckets { write(UInt64(minute.count)) }
        var first: Int64 = 0
        for minute in buckets {
            var previous = first
            for bucket in minute {
                write(Int64(bucket.index) - previous)
                previous = Int64(bucket.index)
            }
            first = minute.first.map { Int64($0.index) } ?? first
        }
        for minute in buckets { for bucket in minute { write(bucket.count) } }
    }
}

extension PackedReader {
    fileprivate mutating func counters(count: Int) throws(HistoryDamage) -> [Double] {
        guard try byte() == 1 else { return try planes(count: count) }
        var values: [Double] = []
        for _ in 0..<count { values.append(Double(try signed())) }
        return values
    }

    fileprivate mutating func gauges(count: Int) throws(HistoryDamage) -> [GaugeMinute] {
        let (last, minimum, maximum) = (try planes(count: count), try planes(count: count), try planes(count: count))
        return (0..<count).map { GaugeMinute(minimum: minimum[$0], maximum: maximum[$0], last: last[$0]) }
    }

    fileprivate mutating func histograms(
        count: Int, _ hasWeights: Bool
    ) throws(HistoryDamage) -> [HistogramMinute] {
        var minutes = Array(repeating: HistogramMinute.empty, count: count)
        for place in 0..<count { minutes[place].calls = try unsigned() }
        for place in 0..<count { minutes[place].failed = try unsigned() }
        for place in 0..<count { minutes[place].sketch.zeroCount = try unsigned() }
        let (sums, minima, maxima) = (try planes(count: count), try planes(count: count), try planes(count: count))
        let (positive, negative) = (try buckets(minutes: count), try buckets(minutes: count))
        for place in 0..<count {
            (minutes[place].sum, minutes[place].minimum, minutes[place].maximum) = (
                sums[place], minima[place], maxima[place]
            )
            (minutes[place].sketch.positive, minutes[place].sketch.negative) = (positive[place], negative[place])
        }
        let weights = try weights(counts: minutes.map(\.sketch.wrappingCount), areThere: hasWeights)
        for place in 0..<count { minutes[place].weights = weights[place] }
        return minutes
    }

    private mutating func buckets(minutes: Int) throws(HistoryDamage) -> [[SketchSnapshot.Bucket]] {
        var counts: [Int] = []
        for _ in 0..<minutes { counts.append(try count()) }
        var indices: [Int32] = []
        var first: Int64 = 0
        for count in counts {
            var index = first
            for place in 0..<count {
                index = try Self.step(index, by: try signed())
                if place == 0 { first = index }
                indices.append(Int32(truncatingIfNeeded: index))
            }
        }
        var buckets: [[SketchSnapshot.Bucket]] = []
        var next = 0
        for count in counts {
            var minute: [SketchSnapshot.Bucket] = []
            minute.reserveCapacity(count)
            for index in indices[next..<next + count] {
                minute.append(SketchSnapshot.Bucket(index: index, count: try unsigned()))
            }
            next += count
            buckets.append(minute)
        }
        return buckets
    }
}
