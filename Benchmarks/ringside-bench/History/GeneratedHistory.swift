internal import Glibc
internal import History
internal import Series
internal import Sketch

/// The activity of a series in a minute.
enum HistoryClass: String, CaseIterable {
    case idle
    case quiet
    case ordinary
    case busy

    var recordsPerMinute: Int {
        switch self {
        case .idle: 0
        case .quiet: 3
        case .ordinary: 120
        case .busy: 20_000
        }
    }
}

/// A history as a collector would have written it. It has series of each class in turn, each of one of six
/// distributions, and every minute is another draw.
struct GeneratedHistory {
    let seriesCount: Int
    let hours: Int64
    private var random = SplitMix(seed: 1)
    private let pools: [[MinuteValue]]

    /// 2025-01-01, the beginning of an hour.
    static let firstHour: Int64 = 482_136
    private static let shapes = 6
    /// The number of draws of each class and distribution from which minutes are taken.
    private static let draws = 48

    init(seriesCount: Int, hours: Int64) {
        self.seriesCount = seriesCount
        self.hours = hours
        var random = SplitMix(seed: 2)
        pools = (0..<HistoryClass.allCases.count * Self.shapes).map { place in
            (0..<Self.draws).map { _ in
                Self.minute(HistoryClass.allCases[place / Self.shapes], shape: place % Self.shapes, &random)
            }
        }
    }

    func historyClass(ofSeries series: Int) -> HistoryClass {
        HistoryClass.allCases[series % HistoryClass.allCases.count]
    }

    func key(ofSeries series: Int) -> HistorySeriesKey {
        HistorySeriesKey(
            bot: "bot\(series / 50)", botLabels: [Label("strategy", "market_maker"), Label("version", "1.4.2")],
            name: "stage\(series % 50)_seconds", labels: [Label("venue", "simulated")], kind: .histogram, unit: .seconds
        )
    }

    /// Writes every minute and packs every hour.
    ///
    /// - Returns: The number of minutes written, summed over the series.
    @discardableResult
    mutating func write(to store: HistoryStore) throws -> Int {
        var minutes = 0
        let keys = (0..<seriesCount).map { key(ofSeries: $0) }
        for hour in Self.firstHour..<Self.firstHour + hours {
            for minute in hour * 60..<hour * 60 + 60 {
                var entries = [
                    HistoryStore.Entry(key: BuiltInSeries.watched, minute: minute, value: .counter(60))
                ]
                for series in 0..<seriesCount where historyClass(ofSeries: series) != .idle {
                    let place =
                        series % HistoryClass.allCases.count * Self.shapes
                        + series / HistoryClass.allCases.count % Self.shapes
                    let draw = Int(random.next() % UInt64(Self.draws))
                    entries.append(HistoryStore.Entry(key: keys[series], minute: minute, value: pools[place][draw]))
                }
                try store.write(entries)
                minutes += entries.count
            }
            try store.pack(before: (hour + 1) * 60)
        }
        return minutes
    }

    private static func minute(_ kind: HistoryClass, shape: Int, _ random: inout SplitMix) -> MinuteValue {
        var sketch = ExponentialSketch()
        var minute = HistogramMinute.empty
        for place in 0..<kind.recordsPerMinute {
            let value = value(shape, place, &random)
            sketch.insert(value)
            minute.sum += value
            (minute.minimum, minute.maximum) = (min(minute.minimum, value), max(minute.maximum, value))
        }
        minute.calls = UInt64(kind.recordsPerMinute)
        minute.sketch = sketch.snapshot()
        return .histogram(minute)
    }

    private static func value(_ shape: Int, _ place: Int, _ random: inout SplitMix) -> Double {
        switch shape {
        case 0: 20e-6 * exp(0.5 * random.normal())
        case 1: 1e-4 * exp(2 * random.normal())
        case 2: (place % 5 == 0 ? 3e-3 : 40e-6) * exp(0.1 * random.normal())
        case 3: 1e-5 * pow(random.unit(), -1 / 1.5)
        case 4: 1e-6 + 1e-3 * random.unit()
        default: 8e-6 * exp(0.05 * random.normal())
        }
    }
}

extension SplitMix {
    /// Returns a number from the uniform distribution in (0, 1].
    mutating func unit() -> Double { Double(next() >> 11 + 1) * 0x1p-53 }

    mutating func normal() -> Double { sqrt(-2 * log(unit())) * cos(2 * .pi * unit()) }
}
