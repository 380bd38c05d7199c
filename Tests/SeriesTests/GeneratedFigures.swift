import Glibc
import TestSupport

@testable import Series

/// Figures of invented series, a reading a minute, like those of bots that trade.
struct GeneratedFigure {
    /// The shape of a series.
    enum Shape: String, CaseIterable {
        case quiet = "quiet rate, 300,000 a minute, 2 % noise"
        case sparse = "sparse rate, 30 a minute, chance alone"
        case noisy = "noisy rate, 30 % noise"
        case wandering = "wandering rate, 20 % noise that lasts 20 minutes"
        case rhythm = "daily rhythm, night to noon 1 : 4, 10 % noise, days differ by 10 %"
        case market = "market: open bursts of 10 times, silent weekends, 15 % noise, days differ by 20 %"
        case drifting = "drifting, 1 % a day, on a daily rhythm"
        case batches = "batches of 500, at one minute in ten"
        case latency = "p99 of 2,000 lognormal values"
        case tail = "p99 of 2,000 Pareto values (tail index 2.5)"
        case gauge = "gauge that wanders around 0"
    }

    let shape: Shape
    private var random: SeededGenerator
    private var day: Int64 = -1
    private var dayFactor = 1.0
    private var drift = 0.0

    init(_ shape: Shape, seed: Int) {
        self.shape = shape
        random = SeededGenerator(seed: UInt64(seed))
    }

    var figure: LevelFigure {
        switch shape {
        case .latency, .tail: .quantile
        case .gauge: .gauge
        default: .rate
        }
    }

    private mutating func uniform() -> Double { (Double(random.next() >> 11) + 0.5) * 0x1p-53 }

    private mutating func normal() -> Double { sqrt(-2 * log(uniform())) * cos(2 * .pi * uniform()) }

    /// Returns a Poisson number, also for a great mean: by Knuth's product of uniforms, or by a normal approximation.
    private mutating func poisson(_ mean: Double) -> Double {
        if mean > 200 { return max(0, (mean + sqrt(mean) * normal()).rounded()) }
        let limit = exp(-mean)
        var (count, product) = (0.0, uniform())
        while product > limit {
            count += 1
            product *= uniform()
        }
        return count
    }

    /// Returns the sum of `count` exponentials (G. Marsaglia and W. W. Tsang, "A simple method for generating gamma
    /// variables", ACM TOMS 2000).
    private mutating func sumOfExponentials(_ count: Int) -> Double {
        let d = Double(count) - 1.0 / 3
        while true {
            let x = normal()
            let cubeRoot = 1 + x / sqrt(9 * d)
            guard cubeRoot > 0 else { continue }
            let v = cubeRoot * cubeRoot * cubeRoot
            if log(uniform()) < 0.5 * x * x + d - d * v + d * log(v) { return d * v }
        }
    }

    /// Returns the share of a distribution that lies above the p99 of 2,000 values of it.
    private mutating func shareAbove() -> Double {
        let upper = sumOfExponentials(21)
        return upper / (upper + sumOfExponentials(1980))
    }

    /// Returns the figure of the minute that ends at a time, multiplied by a factor.
    mutating func reading(at unixSeconds: Int64, factor: Double = 1) -> Double {
        let today = unixSeconds.intervalNumber(width: 86_400)
        if today != day {
            day = today
            dayFactor = exp(normal())
        }
        let hour = Double(unixSeconds - today * 86_400) / 3600
        let rhythm = pow(2, -cos(2 * .pi * hour / 24))
        switch shape {
        case .quiet: return poisson(300_000 * exp(0.02 * normal()) * factor)
        case .sparse: return poisson(30 * factor)
        case .noisy: return poisson(20_000 * exp(0.3 * normal()) * factor)
        case .wandering:
            drift = 0.95 * drift + 0.2 * sqrt(1 - 0.95 * 0.95) * normal()
            return poisson(20_000 * exp(drift) * factor)
        case .rhythm:
            return poisson(20_000 * rhythm * exp(0.1 * normal()) * pow(dayFactor, 0.1) * factor)
        case .market:
            return poisson(300_000 * activity(hour) * exp(0.15 * normal()) * pow(dayFactor, 0.2) * factor)
        case .drifting:
            return poisson(20_000 * rhythm * pow(1.01, Double(today % 1000)) * exp(0.05 * normal()) * factor)
        case .batches: return uniform() < 0.1 ? 500 * factor : 0
        case .latency: return 20e-6 * exp(0.5 * normalExceeded(by: shareAbove())) * factor
        case .tail: return 10e-6 * pow(shareAbove(), -1 / 2.5) * factor
        case .gauge:
            drift = 0.99 * drift + 1000 * sqrt(1 - 0.99 * 0.99) * normal()
            return drift + (factor - 1) * 1000
        }
    }

    /// Returns the activity of a feed. It is a twentieth at night, and ten times the day's level at the open. It falls
    /// to that level within half an hour. There is none on Saturdays and Sundays.
    private func activity(_ hour: Double) -> Double {
        let weekday = (day + 4) % 7
        guard weekday != 0, weekday != 6 else { return 0 }
        guard (13.5..<20).contains(hour) else { return 0.05 }
        return 1 + 9 * exp(-(hour - 13.5) * 10) + (hour > 19.75 ? 2 : 0)
    }

    /// Returns the value that a standard normal exceeds with a probability around 0.01, by Newton's steps.
    private func normalExceeded(by share: Double) -> Double {
        var value = 2.326
        for _ in 0..<4 {
            let density = exp(-0.5 * value * value) / (2 * .pi).squareRoot()
            value += (0.5 * erfc(value / 2.0.squareRoot()) - share) / density
        }
        return value
    }
}

/// A level that reads a series minute by minute.
struct LevelTrial {
    var figure: GeneratedFigure
    var level: UnusualLevel
    private(set) var unixSeconds: Int64
    private(set) var alarms: [Int64] = []

    /// A Monday, 00:00 UTC.
    static let begin: Int64 = 1_767_571_200

    init(_ shape: GeneratedFigure.Shape, seed: Int) {
        figure = GeneratedFigure(shape, seed: seed)
        level = UnusualLevel(figure.figure)
        unixSeconds = Self.begin
    }

    var isUnusual: Bool { level.state == .high || level.state == .low }

    mutating func minute(factor: Double = 1) {
        unixSeconds += 60
        let before = isUnusual
        _ = level.read(
            figure.reading(at: unixSeconds, factor: factor), now: unixSeconds * 1_000_000_000, unixSeconds: unixSeconds)
        if isUnusual, !before { alarms.append(unixSeconds) }
    }

    mutating func run(until end: Int64) { while unixSeconds < end { minute() } }

    func alarms(ofDays days: Range<Int64>) -> Int {
        alarms.count { days.contains(($0 - Self.begin).intervalNumber(width: 86_400)) }
    }
}
