internal import Series

/// A number that an alert compares, and the labels of the series that it was read from.
struct AlertReading {
    var value: Double
    var labels: [Label] = []
    /// "" for values summed over lanes.
    var lane = ""
}

/// The result of reading an alert's series.
enum AlertLook {
    case reading(AlertReading)
    /// There is no data.
    case nothing
    /// There is data, but of too short a time to judge by.
    case tooEarly

    init(_ reading: AlertReading?) { self = reading.map { .reading($0) } ?? .nothing }

    var reading: AlertReading? {
        if case .reading(let reading) = self { reading } else { nil }
    }

    var isTooEarly: Bool {
        if case .tooEarly = self { true } else { false }
    }
}

/// One series as an alert reads it.
struct AlertSeries {
    var labels: [Label] = []
    /// "" for values summed over lanes.
    var lane = ""
    /// A gauge's value or a counter's total; nil for a histogram.
    var value: Double?
    /// A counter's total, or a histogram's count.
    var total = ExactTotal(.unsigned(0))
    /// Whether the total may decrease, as an up-down counter's does.
    var mayFall = false
    /// The part of the total that came while the collector watched; 0 if that is unknown.
    var watched: Double = 0
    var windows: [HistogramWindow] = []

    /// Returns the value to compare, which is a quotient if there are divisors.
    ///
    /// - Parameter divisors: The series to divide by. The one with the same labels and lane is used. Nil for no
    ///   division.
    func value(dividedBy divisors: [AlertSeries]?) -> AlertReading? {
        guard let value else { return nil }
        guard let divisors else { return AlertReading(value: value, labels: labels, lane: lane) }
        let other = divisors.first { $0.labels == labels && $0.lane == lane }?.value
        guard let other, other != 0, !(value / other).isNaN else { return nil }
        return AlertReading(value: value / other, labels: labels, lane: lane)
    }

    /// Returns the age of the moment whose time the gauge has as its value, in seconds since the Unix epoch.
    func age(unixNanoseconds: Int64) -> AlertReading? {
        value.map { AlertReading(value: Double(unixNanoseconds) * 1e-9 - $0, labels: labels, lane: lane) }
    }

    func quantile(_ quantile: Double, window: String, minimum: Double) -> AlertReading? {
        guard let summary = windows.first(where: { $0.window.name == window })?.summary,
            Double(summary.count) >= max(1, minimum),
            let value = summary.quantiles.first(where: { $0.quantile == quantile })?.value
        else { return nil }
        return AlertReading(value: value, labels: labels)
    }
}

extension AlertSeries {
    /// A series of the whole bot.
    init(_ number: Number) {
        value = number.double
        total = ExactTotal(number)
    }

    init(_ metric: MetricSnapshot) {
        labels = metric.labels
        switch metric.reading {
        case .counter(let counter), .upDownCounter(let counter):
            value = counter.value.double
            total = ExactTotal(counter.value)
            watched = counter.watchedIncrease
            if case .upDownCounter = metric.reading { mayFall = true }
        case .gauge(let gauge):
            lane = gauge.lane
            value = gauge.value.double
        case .histogram(let histogram):
            total = ExactTotal(.unsigned(histogram.total.count))
            windows = histogram.windows
        }
    }
}
