import Glibc
import Series
import Sketch
import TestSupport
import Testing

@testable import History

/// Tests a day of some series; if RINGSIDE_LONG is 1, 30 days of 1,000 series, which take hours.
@Suite("A generated history") struct GeneratedHistoryTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private let hours: Int64 = isLongRun ? 720 : 24
    private let seriesCount = isLongRun ? 1000 : 12
    private let firstHour: Int64 = 482_136

    /// The minutes from which draws are made, by distribution. Some are idle and some are busy.
    private let pools: [[HistogramMinute]] = (0..<6).map { shape in
        var random = SeededGenerator(seed: UInt64(shape))
        return (0..<16).map { draw in Self.minute(shape, count: [0, 1, 7, 60, 900][draw % 5], &random) }
    }

    private static func minute(_ shape: Int, count: Int, _ random: inout SeededGenerator) -> HistogramMinute {
        var sketch = ExponentialSketch()
        var minute = HistogramMinute.empty
        for place in 0..<count {
            let value: Double =
                switch shape {
                case 0: 20e-6 * exp(0.5 * random.normal())
                case 1: 1e-4 * exp(3 * random.normal())
                case 2: (place % 5 == 0 ? 3e-3 : 40e-6) * exp(0.1 * random.normal())
                case 3: 1e-5 * pow(random.unit(), -1 / 1.1)
                case 4: place % 4 == 0 ? random.normal() : 0
                default: 0.1
                }
            sketch.insert(value)
            minute.sum += value
            (minute.minimum, minute.maximum) = (min(minute.minimum, value), max(minute.maximum, value))
        }
        minute.calls = UInt64(count)
        minute.sketch = sketch.snapshot()
        return minute
    }

    /// Returns the same minute for a series and a time in every call.
    private func draw(series: Int, minute: Int64) -> HistogramMinute {
        var random = SeededGenerator(seed: UInt64(series) << 40 ^ UInt64(minute))
        return pools[series % pools.count][Int(random.next() % 16)]
    }

    private func key(_ series: Int) -> HistorySeriesKey {
        HistorySeriesKey(bot: "bot\(series % 7)", name: "stage\(series)_seconds", kind: .histogram, unit: .seconds)
    }

    @Test("any hour's count, sum, extremes and quantiles are those of the merge of its minutes, bit for bit")
    func anyHour() throws {
        let store = try HistoryStore(path: path)
        for hour in firstHour..<firstHour + hours {
            for minute in hour * 60..<hour * 60 + 60 {
                var entries = [HistoryStore.Entry(key: BuiltInSeries.watched, minute: minute, value: .counter(60))]
                for series in 0..<seriesCount {
                    entries.append(
                        .init(key: key(series), minute: minute, value: .histogram(draw(series: series, minute: minute)))
                    )
                }
                try store.write(entries)
            }
            // The last hour is still open.
            if hour + 1 < firstHour + hours { try store.pack(before: (hour + 1) * 60) }
        }
        var random = SeededGenerator(seed: 99)
        let reader = try HistoryReader(path: path)
        for question in 0..<(isLongRun ? 2000 : Int(hours) * seriesCount) {
            let series = isLongRun ? Int(random.next() % UInt64(seriesCount)) : question % seriesCount
            let hour =
                firstHour + (isLongRun ? Int64(random.next() % UInt64(hours)) : Int64(question / seriesCount))
            let answer = try reader.answer(
                HistoryQuery(metric: key(series).name, minutes: hour * 60..<hour * 60 + 60, stepMinutes: 60))
            let point = try #require(answer.series.first?.points.first)
            #expect(point.isComplete && point.histogram == merge(series, hour), "series \(series), hour \(hour)")
        }
    }

    private func merge(_ series: Int, _ hour: Int64) -> HistogramPoint {
        var sketch = ExponentialSketch()
        var point = HistogramPoint()
        var (minimum, maximum) = (Double.infinity, -Double.infinity)
        for minute in hour * 60..<hour * 60 + 60 {
            let drawn = draw(series: series, minute: minute)
            _ = sketch.merge(drawn.sketch)
            point.calls += drawn.calls
            point.sum += drawn.sum
            (minimum, maximum) = (min(minimum, drawn.minimum), max(maximum, drawn.maximum))
        }
        point.count = sketch.count
        (point.minimum, point.maximum) = (minimum, maximum)
        point.values = sketch.values(atQuantiles: HistogramPoint.quantiles, minimum: minimum, maximum: maximum)
        return point
    }
}
