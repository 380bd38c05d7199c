import Glibc
import Series
import Sketch
import TestSupport
import Testing

@testable import History

@Suite("Intervals of sampled values") struct SampledComparisonTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }

    /// The sampling of calls, minute by minute.
    enum Sampling: CaseIterable, CustomTestStringConvertible {
        case everyCall
        case tenPercent
        case onePercent
        /// Calls are sampled by a rate that falls as the load rises, and with it the latency.
        case adaptive
        /// Calls are sampled by weights that are independent of the values, many within a minute.
        case mixed

        var testDescription: String { "\(self)" }

        /// - Returns: The weight of a record of this minute, and the scale of its value.
        func draw(_ random: inout SeededGenerator, minute: Int) -> (weight: UInt32, scale: Double) {
            switch self {
            case .everyCall: (1, 1)
            case .tenPercent: (10, 1)
            case .onePercent: (100, 1)
            case .adaptive: minute % 4 == 0 ? (100, 3) : (5, 1)
            case .mixed: ([1, 3, 10, 40][Int(random.next() % 4)], 1)
            }
        }
    }

    /// Returns a collector's data of one minute.
    private func minute(_ sampling: Sampling, _ number: Int, records: Int, _ random: inout SeededGenerator)
        -> HistogramMinute
    {
        var distribution = Distribution()
        for _ in 0..<records {
            let (weight, scale) = sampling.draw(&random, minute: number)
            distribution.insert(-log(random.unit()) * scale, weight: weight)
        }
        let summary = distribution.summary(quantiles: [])
        return HistogramMinute(
            calls: summary.count, failed: 0, sum: summary.sum, minimum: summary.extremes?.minimum ?? .infinity,
            maximum: summary.extremes?.maximum ?? -.infinity, sketch: distribution.sketch.snapshot(),
            weights: distribution.weights)
    }

    private func side(_ sampling: Sampling, records: Int, _ random: inout SeededGenerator) -> MergedMinutes {
        let merged = MergedMinutes(keepsSquares: true)
        for number in 0..<8 { merged.add(.histogram(minute(sampling, number, records: records / 8, &random))) }
        return merged
    }

    /// Returns the quantile of all calls, by bisection. The weights give the number of calls of each scale.
    private func truth(_ sampling: Sampling, _ quantile: Double) -> Double {
        let slow = sampling == .adaptive ? (2 * 100.0) / (2 * 100 + 6 * 5) : 0
        var (low, high) = (0.0, 100.0)
        for _ in 0..<80 {
            let middle = (low + high) / 2
            let share = slow * -expm1(-middle / 3) + (1 - slow) * -expm1(-middle)
            if share < quantile { low = middle } else { high = middle }
        }
        return low
    }

    @Test(
        "the interval of a difference holds the true one in 95 of 100 draws, or more",
        arguments: Sampling.allCases, [(400, 0.5), (4000, 0.99)])
    func coverage(_ sampling: Sampling, _ size: (records: Int, quantile: Double)) {
        var random = SeededGenerator(seed: 22)
        let truth = truth(sampling, size.quantile)
        let draws = isLongRun ? 400 : 100
        var (sides, differences) = (0, 0)
        for _ in 0..<draws {
            let merged = [
                side(sampling, records: size.records, &random), side(sampling, records: size.records, &random),
            ]
            let intervals = merged.compactMap { OrderStatistics.interval(size.quantile, of: $0) }
            guard intervals.count == 2, let low = intervals[0].lower, let high = intervals[0].upper else { continue }
            if low <= truth && truth <= high { sides += 1 }
            let difference = QuantileDifference(before: intervals[0], after: intervals[1])
            if difference.interval?.contains(0) == true { differences += 1 }
        }
        // Of 400 draws 380 are expected to hold, and of 100 draws 95. That no more than this hold has a chance of one
        // in 1,000.
        let least = isLongRun ? 365 : 87
        #expect(sides > least, "\(sides) of \(draws)")
        #expect(differences > least, "\(differences) of \(draws)")
    }

    @Test("an interval of sampled values is as wide as its records make it, not wider")
    func width() throws {
        var random = SeededGenerator(seed: 23)
        func width(_ sampling: Sampling) throws -> Double {
            var sum = 0.0
            for _ in 0..<50 {
                let merged = side(sampling, records: 800, &random)
                let interval = try #require(OrderStatistics.interval(0.5, of: merged))
                sum += try #require(interval.upper) - #require(interval.lower)
            }
            return sum
        }
        let (all, sampled) = (try width(.everyCall), try width(.onePercent))
        #expect(abs(sampled / all - 1) < 0.1, "\(sampled) to \(all)")
    }

    @Test("the number of records survives minutes, packing, totals and a restart, and a comparison says it")
    func records() throws {
        let start: Int64 = 28_333_320
        var random = SeededGenerator(seed: 24)
        var store: HistoryStore? = try HistoryStore(path: path)
        var expected = HistogramMinute.empty
        for minute in start..<start + 100 {
            let value = self.minute(.mixed, 0, records: 10, &random)
            expected.merge(value)
            try store?.write([.init(key: Scene.key, minute: minute, value: .histogram(value))])
            if minute == start + 70 { try store?.pack(before: minute) }
        }
        store = nil
        let reader = try HistoryReader(path: path)
        let row = try #require(
            try reader.compare(
                .init(minutes: start..<start + 50), .init(minutes: start + 50..<start + 100), metric: nil, bot: nil,
                labels: []
            ).rows.first)
        #expect(row.before.records == 500 && row.after.records == 500 && row.before.count > 2000)
        let totals = try HistoryStore(path: path).totals()
        guard case .histogram(let total)? = totals[Scene.key] else { return #expect(Bool(false), "no total") }
        #expect(total.weights == expected.weights && total.weights.unrecorded == total.sketch.count - 1000)
    }

    @Test("rows of format 1 are read as they are, with intervals for nothing that they are part of")
    func formatOne() throws {
        let minute: Int64 = 28_333_320
        var random = SeededGenerator(seed: 25)
        let value = self.minute(.tenPercent, 0, records: 500, &random)
        let store = try HistoryStore(path: path)
        try store.write([.init(key: Scene.key, minute: minute + 61, value: .histogram(value))])
        try store.pack(before: .max)
        // This is the form of a minute in format 1: its tag, and no weights behind the buckets.
        var writer = PackedWriter()
        writer.write(.histogram(value))
        #expect(writer.bytes[0] == PackedReader.weightedHistogram)
        let weightBytes = PackedWriter.weightBytes(value.weights)
        let old = [ValueTag.histogram.rawValue] + writer.bytes.dropFirst().dropLast(weightBytes)
        let id = try #require(store.known[Scene.key])
        var row = PackedWriter()
        row.write(UInt64(id % MinuteChunk.seriesPerChunk))
        row.write(UInt64(old.count))
        row.bytes += old
        try store.database.run(
            "INSERT INTO minute(chunk, minute, body) VALUES(?, ?, ?)",
            [
                .integer(MinuteChunk.number(ofSeries: id)), .integer(minute),
                .blob(SealedBytes.seal(row.bytes, compressing: true)),
            ])
        try store.database.run("PRAGMA user_version=1")
        let reader = try HistoryReader(path: path)
        func compare(_ reader: HistoryReader) throws -> HistoryComparison.Row {
            try #require(
                try reader.compare(
                    .init(minutes: minute..<minute + 60), .init(minutes: minute + 60..<minute + 120), metric: nil,
                    bot: nil, labels: []
                ).rows.first)
        }
        let row1 = try compare(reader)
        #expect(row1.before.count == 5000 && row1.before.records == nil && row1.after.records == 500)
        let bounded = row1.differences.filter { $0?.interval != nil }
        #expect(bounded.isEmpty)
        #expect(row1.differences[0]?.after.lower != nil)
        // The next writer packs it. Unknown counts stay unknown.
        let next = try HistoryStore(path: path)
        #expect(try next.database.integer("PRAGMA user_version") == 2)
        try next.pack(before: .max)
        let packed = try compare(try HistoryReader(path: path))
        #expect(packed.before.count == 5000 && packed.before.records == nil)
    }
}

extension PackedWriter {
    fileprivate static func weightBytes(_ weights: SampleWeights) -> Int {
        var writer = PackedWriter()
        writer.write(weights: [weights])
        return writer.bytes.count
    }
}
