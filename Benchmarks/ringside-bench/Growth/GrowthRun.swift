internal import CBench
internal import Glibc

/// The growth of one figure with another: the measurements, and the machine's own floor beside them.
struct GrowthCurve {
    let file: String
    let title: String
    let horizontalTitle, verticalTitle: String
    let name, floorName: String
    var points: [(x: Double, y: Double)] = []
    var floor: [(x: Double, y: Double)] = []
}

struct GrowthCounts: Sendable {
    var collector = CollectorCounts(seconds: 4, scrapes: 1)
    var rates = [1_000.0, 10_000, 100_000, 1_000_000]
    var series = [10, 100, 1000, 5000]
    var bots = [1, 4, 16, 64]
    var drain = DrainCounts(laps: 10, rings: [1, 4, 16, 64], series: [1])
    var wide = DrainCounts(laps: 10, rings: [1], series: [1, 16, 64, 256, 1024, 4096])
    var scrapes = ScrapeCounts(rounds: 5, series: [10, 100, 1000, 4000])

    static let quick = GrowthCounts(
        collector: CollectorCounts(seconds: 0.7, scrapes: 1), rates: [10_000, 100_000], series: [10, 100],
        bots: [1, 4],
        drain: DrainCounts(laps: 2, rings: [1, 4], series: [1]),
        wide: DrainCounts(laps: 2, rings: [1], series: [1, 64]),
        scrapes: ScrapeCounts(rounds: 2, series: [10, 100]))
}

/// Every curve of the page "How it grows".
struct GrowthRun {
    private(set) var curves: [GrowthCurve] = []

    /// The values that stay fixed while another varies.
    private static let (rate, series) = (100_000.0, 100)

    init(counts: GrowthCounts) throws {
        let wide = try DrainRun(counts: counts.wide)
        let lanes = try DrainRun(counts: counts.drain)
        /// Returns the floor's share of a core in percent, at a rate of records a second into a number of series.
        func floorShare(_ rate: Double, _ series: Int) -> Double {
            let floors = wide.points.filter { $0.stage == .floor }
            let nearest = floors.min { abs($0.series - series) < abs($1.series - series) }!
            return rate * nearest.cost.mean * 1e-7
        }
        curves.append(try Self.byRate(counts, floorShare))
        curves.append(try Self.bySeries(counts, floorShare))
        curves.append(try Self.byBots(counts, floorShare))
        curves.append(Self.drained(wide, "drain-series", "A record, by series", "series") { $0.series })
        curves.append(Self.drained(lanes, "drain-lanes", "A record, by lanes of one bot", "lanes") { $0.rings })
        curves.append(try Self.scrapes(counts))
    }

    private static func collector(_ file: String, _ title: String, _ horizontal: String) -> GrowthCurve {
        GrowthCurve(
            file: file, title: title, horizontalTitle: horizontal, verticalTitle: "% of a core", name: "collector",
            floorName: "drain's floor")
    }

    private static func byRate(
        _ counts: GrowthCounts, _ floor: (Double, Int) -> Double
    ) throws -> GrowthCurve {
        var curve = collector("records", "The collector, by records a second (100 series, 4 bots)", "records/s")
        for rate in counts.rates {
            let point = try CollectorRun.measure(rate: rate, series: series, counts.collector)
            curve.points.append((point.recordsPerSecond, point.processorShare * 100))
            curve.floor.append((point.recordsPerSecond, floor(point.recordsPerSecond, series)))
        }
        return curve
    }

    private static func bySeries(
        _ counts: GrowthCounts, _ floor: (Double, Int) -> Double
    ) throws -> GrowthCurve {
        var curve = collector("series", "The collector, by series (100,000 records/s, 4 bots)", "series")
        for series in counts.series {
            let point = try CollectorRun.measure(rate: rate, series: series, counts.collector)
            curve.points.append((Double(series), point.processorShare * 100))
            curve.floor.append((Double(series), floor(point.recordsPerSecond, series)))
        }
        return curve
    }

    private static func byBots(
        _ counts: GrowthCounts, _ floor: (Double, Int) -> Double
    ) throws -> GrowthCurve {
        var curve = collector("bots", "The collector, by bots (100,000 records/s, 100 series in all)", "bots")
        for bots in counts.bots {
            let point = try CollectorRun.measure(rate: rate, series: series, bots: bots, counts.collector)
            curve.points.append((Double(bots), point.processorShare * 100))
            curve.floor.append((Double(bots), floor(point.recordsPerSecond, series)))
        }
        return curve
    }

    private static func drained(
        _ run: DrainRun, _ file: String, _ title: String, _ horizontal: String, _ x: (DrainPoint) -> Int
    ) -> GrowthCurve {
        func points(_ stage: DrainPoint.Stage) -> [(x: Double, y: Double)] {
            run.points.filter { $0.stage == stage }.map { (Double(x($0)), $0.cost.mean) }
        }
        return GrowthCurve(
            file: file, title: title, horizontalTitle: horizontal, verticalTitle: "ns a record", name: "drain",
            floorName: "C floor", points: points(.windows), floor: points(.floor))
    }

    private static func scrapes(_ counts: GrowthCounts) throws -> GrowthCurve {
        var curve = GrowthCurve(
            file: "scrapes", title: "A scrape as text, all series with new values", horizontalTitle: "histograms",
            verticalTitle: "ms of a core", name: "scrape", floorName: "copying its bytes")
        for point in try ScrapeRun(counts: counts.scrapes).points where point.format == .text {
            curve.points.append((Double(point.series), point.wholeMilliseconds.median))
            curve.floor.append((Double(point.series), copyMilliseconds(point.bytes)))
        }
        return curve
    }

    /// Returns the milliseconds of copying a number of bytes, the median of nine copies.
    private static func copyMilliseconds(_ bytes: Int) -> Double {
        let (from, to) = (malloc(bytes)!, malloc(bytes)!)
        defer {
            free(from)
            free(to)
        }
        memset(from, 1, bytes)
        let times = (0..<9).map { _ in
            let begun = monotonicNanoseconds()
            bench_copy(to, from, bytes)
            return Double(monotonicNanoseconds() - begun) * 1e-6
        }
        return max(1e-6, medianOf(times))
    }
}
