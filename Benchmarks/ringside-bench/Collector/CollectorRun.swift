/// What a real collector took under one load.
struct CollectorPoint: Sendable {
    let recordsPerSecond: Double
    let series: Int
    /// Of one core, 0 to 1 and above where it uses several.
    let processorShare: Double
    let anonymousBytes: Int
    let proportionalBytes: Int
    /// A whole request for /metrics, and what it gave.
    let scrapeMilliseconds: Rounds
    let scrapeBytes: Int
    let drained, lost: UInt64
}

struct CollectorCounts: Sendable {
    var rates = [10_000.0, 100_000, 1_000_000]
    var series = [10, 100, 1000, 5000]
    /// What is held while the other varies.
    static let rate = 100_000.0
    static let middleSeries = 100
    var seconds = 6.0
    var scrapes = 11
}

/// Runs a collector of its own under each load.
struct CollectorRun {
    private(set) var byRate: [CollectorPoint] = []
    private(set) var bySeries: [CollectorPoint] = []

    init(counts: CollectorCounts) throws {
        for rate in counts.rates {
            byRate.append(try Self.measure(rate: rate, series: CollectorCounts.middleSeries, counts))
        }
        for series in counts.series {
            bySeries.append(try Self.measure(rate: CollectorCounts.rate, series: series, counts))
        }
    }

    private static func measure(rate: Double, series: Int, _ counts: CollectorCounts) throws -> CollectorPoint {
        let directory = try ScratchDirectory()
        let collector = try CollectorProcess(rings: directory)
        let load = try CollectorLoad(in: directory, series: series)
        // Rings are found, series made, the windows of a second filled.
        _ = PacedWriter.run(rate: rate, seconds: min(1.5, counts.seconds / 2), write: load.write)
        let before = ProcessUse(of: collector.pid)
        let (records, seconds) = PacedWriter.run(rate: rate, seconds: counts.seconds, write: load.write)
        let after = ProcessUse(of: collector.pid)
        var scrapes = Rounds()
        var bytes = 0
        for _ in 0..<counts.scrapes {
            _ = PacedWriter.run(rate: rate, seconds: 0.1, write: load.write)  // the load goes on between two scrapes
            let begun = monotonicNanoseconds()
            bytes = try HTTPClient.get("/metrics", port: collector.port)?.count ?? 0
            scrapes.append(Double(monotonicNanoseconds() - begun) * 1e-6)
        }
        let latest = try collector.latestWhenDrained()
        return CollectorPoint(
            recordsPerSecond: Double(records) / seconds, series: series,
            processorShare: Double(after.processorNanoseconds - before.processorNanoseconds) / (seconds * 1e9),
            anonymousBytes: after.anonymousBytes, proportionalBytes: after.proportionalBytes,
            scrapeMilliseconds: scrapes, scrapeBytes: bytes, drained: latest.drained, lost: latest.lost)
    }
}
