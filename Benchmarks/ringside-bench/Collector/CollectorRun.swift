/// The cost of a real collector under one load.
struct CollectorPoint: Sendable {
    let recordsPerSecond: Double
    let series: Int
    /// The share of one core: 0 to 1, and above if it uses several.
    let processorShare: Double
    let anonymousBytes: Int
    let proportionalBytes: Int
    /// The time of a whole request for /metrics.
    let scrapeMilliseconds: Rounds
    /// Processor time of the collector a request, over all its threads.
    let scrapeProcessorMilliseconds: Double
    let scrapeBytes: Int
    let drained, lost: UInt64

    /// Returns the cost of a record, as a multiple of the cost of the drain alone. Returns nil if no record was
    /// written.
    func multiple(ofDrainNanoseconds cost: Double) -> Double? {
        recordsPerSecond > 0 ? processorShare * 1e9 / recordsPerSecond / cost : nil
    }
}

struct CollectorCounts: Sendable {
    var rates = [10_000.0, 100_000, 1_000_000]
    var series = [10, 100, 1000, 5000, 10_000]
    /// Series of bots that live and write nothing.
    static let idleSeries = 5000
    /// The values that stay fixed while the other varies.
    static let rate = 100_000.0
    static let middleSeries = 100
    var seconds = 6.0
    var scrapes = 11
}

/// Runs a collector of its own under each load.
struct CollectorRun {
    private(set) var byRate: [CollectorPoint] = []
    private(set) var bySeries: [CollectorPoint] = []
    let idle: CollectorPoint
    /// The cost of the drain a record in this run, in nanoseconds: 4 rings, 64 series.
    let drainNanoseconds: Double

    init(counts: CollectorCounts) throws {
        drainNanoseconds = try DrainRun.cost(rings: CollectorLoad.bots, series: 64, laps: 20)
        idle = try Self.measure(rate: 0, series: CollectorCounts.idleSeries, counts)
        for rate in counts.rates {
            byRate.append(try Self.measure(rate: rate, series: CollectorCounts.middleSeries, counts))
        }
        for series in counts.series {
            bySeries.append(try Self.measure(rate: CollectorCounts.rate, series: series, counts))
        }
    }

    /// Measures a collector of its own under one load.
    ///
    /// - Parameter bots: The number of bots that share the series and the records.
    static func measure(
        rate: Double, series: Int, bots: Int = CollectorLoad.bots, _ counts: CollectorCounts
    ) throws -> CollectorPoint {
        let directory = try ScratchDirectory()
        let collector = try CollectorProcess(rings: directory)
        let load = try CollectorLoad(in: directory, series: series, bots: bots)
        // In this time rings are found, series are made, and the windows of a second are filled.
        let settled = min(1.5, counts.seconds / 2)
        if rate > 0 {
            _ = PacedWriter.run(rate: rate, seconds: settled, write: load.write)
        } else {
            // A new bot is read more often for a second.
            sleep(nanoseconds: Int64(2 * settled * 1e9))
        }
        let before = ProcessUse(of: collector.pid)
        var (records, seconds) = try Self.write(load, rate: rate, seconds: counts.seconds)
        var after = ProcessUse(of: collector.pid)
        // On a loaded machine a short run may end before the collector had a turn. It goes on until there is a figure.
        while rate > 0, after.processorNanoseconds == before.processorNanoseconds, seconds < 30 {
            let more = try Self.write(load, rate: rate, seconds: counts.seconds)
            (records, seconds) = (records + more.records, seconds + more.seconds)
            after = ProcessUse(of: collector.pid)
        }
        var scrapes = Rounds()
        var bytes = 0
        var scrapeProcessor: UInt64 = 0
        for _ in 0..<counts.scrapes {
            _ = try Self.write(load, rate: rate, seconds: 0.1)  // the load goes on between two scrapes
            let used = ProcessUse(of: collector.pid).processorNanoseconds
            let begun = monotonicNanoseconds()
            bytes = try HTTPClient.get("/metrics", port: collector.port)?.count ?? 0
            scrapes.append(Double(monotonicNanoseconds() - begun) * 1e-6)
            scrapeProcessor += ProcessUse(of: collector.pid).processorNanoseconds - used
        }
        let latest = try collector.latestWhenDrained()
        return CollectorPoint(
            recordsPerSecond: Double(records) / seconds, series: series,
            processorShare: Double(after.processorNanoseconds - before.processorNanoseconds) / (seconds * 1e9),
            anonymousBytes: after.anonymousBytes, proportionalBytes: after.proportionalBytes,
            scrapeMilliseconds: scrapes,
            scrapeProcessorMilliseconds: Double(scrapeProcessor) * 1e-6 / Double(max(1, counts.scrapes)),
            scrapeBytes: bytes, drained: latest.drained, lost: latest.lost)
    }

    private static func write(
        _ load: CollectorLoad, rate: Double, seconds: Double
    ) throws -> (records: Int, seconds: Double) {
        guard rate == 0 else { return PacedWriter.run(rate: rate, seconds: seconds, write: load.write) }
        let begun = monotonicNanoseconds()
        sleep(nanoseconds: Int64(seconds * 1e9))
        return (0, Double(monotonicNanoseconds() - begun) * 1e-9)
    }
}
