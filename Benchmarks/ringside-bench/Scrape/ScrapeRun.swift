import Platform
internal import Drain
internal import Exposition
internal import RingReader
internal import Series

/// Drains rings full of histograms and times a scrape of them, round after round. Between two rounds all series take in
/// new values, so that nothing of the last round can be used again.
struct ScrapeRun {
    private(set) var points: [ScrapePoint] = []

    static let rings = 4

    init(counts: ScrapeCounts) throws {
        Processors.pin(to: Processors.ours)
        for series in counts.series { points += try Self.measure(series: series, rounds: counts.rounds) }
    }

    private static func measure(series: Int, rounds: Int) throws -> [ScrapePoint] {
        let filled = try FilledRings(rings: rings, series: series)
        let agent = DrainAgent(
            directory: RingDirectory(path: filled.directory.path), filter: try RingFilter(names: [], owners: []),
            exchange: try SnapshotExchange(), readiness: Readiness(),
            logger: Logger(level: .error, format: .logfmt), version: "bench", maximumIntervalNanoseconds: 100_000_000)
        return try ScrapePoint.Format.allCases.map { format in
            var (taking, rendering, whole, bytes) = (Rounds(), Rounds(), Rounds(), 0)
            // In the first round rings are found and memory is touched.
            for round in 0...rounds {
                try refill(filled, agent)
                let begun = threadNanoseconds()
                let snapshot = agent.snapshot(now: monotonicNanoseconds())
                let taken = threadNanoseconds()
                bytes = render(snapshot, as: format)
                let rendered = threadNanoseconds()
                guard round > 0 else { continue }
                taking.append(Double(taken - begun) * 1e-6)
                rendering.append(Double(rendered - taken) * 1e-6)
                whole.append(Double(rendered - begun) * 1e-6)
            }
            return ScrapePoint(
                format: format, series: series, snapshotMilliseconds: taking, renderMilliseconds: rendering,
                wholeMilliseconds: whole, bytes: bytes)
        }
    }

    static func refill(_ filled: FilledRings, _ agent: DrainAgent) throws {
        filled.fillOnPartner()
        var (drained, idleTurns) = (0, 0)
        while drained < filled.recordsPerLap {
            let records = agent.doWork()
            drained += records
            idleTurns = records > 0 ? 0 : idleTurns + 1
            guard idleTurns < 1000 else { throw Incomplete(drained: drained, written: filled.recordsPerLap) }
        }
    }

    /// Renders a snapshot.
    ///
    /// - Returns: The number of bytes.
    private static func render(_ snapshot: Snapshot, as format: ScrapePoint.Format) -> Int {
        switch format {
        case .text: PrometheusText.render(Families(snapshot, process: nil)).count
        case .openMetrics: OpenMetricsText.render(Families(snapshot, process: nil)).count
        case .protobuf: PrometheusProtobuf.render(Families(snapshot, process: nil), histograms: .standard).count
        case .latest: LatestJSON.render(snapshot).count
        case .line: LineProtocol.batches(snapshot, labels: [], process: nil).reduce(0) { $0 + $1.count }
        case .otlp: otlp(snapshot)
        case .remoteWrite: remoteWrite(snapshot)
        }
    }

    private static func otlp(_ snapshot: Snapshot) -> Int {
        var sent = OTLPSentSeries()
        let families = Families(snapshot, process: nil)
        return OTLPMetrics.requests(families, of: snapshot, labels: [], sent: &sent).reduce(0) { $0 + $1.count }
    }

    private static func remoteWrite(_ snapshot: Snapshot) -> Int {
        var writer = RemoteWrite(labels: [])
        let requests = writer.requests(
            Families(snapshot, process: nil), unixNanoseconds: snapshot.unixNanoseconds)
        return requests.reduce(0) { $0 + Snappy.compress($1).count }
    }
}

/// A collector's agent whose histograms all take in new values before each scrape.
final class ScrapeSubject {
    private let filled: FilledRings
    private let agent: DrainAgent

    init(series: Int) throws {
        filled = try FilledRings(rings: ScrapeRun.rings, series: series)
        agent = DrainAgent(
            directory: RingDirectory(path: filled.directory.path), filter: try RingFilter(names: [], owners: []),
            exchange: try SnapshotExchange(), readiness: Readiness(),
            logger: Logger(level: .error, format: .logfmt), version: "bench", maximumIntervalNanoseconds: 100_000_000)
        _ = try textNanoseconds()  // rings are found and memory is touched
    }

    /// Returns the processor time of one scrape as text, in nanoseconds.
    func textNanoseconds() throws -> Double {
        try ScrapeRun.refill(filled, agent)
        let begun = threadNanoseconds()
        _ = PrometheusText.render(Families(agent.snapshot(now: monotonicNanoseconds()), process: nil)).count
        return Double(threadNanoseconds() - begun)
    }
}
