internal import Drain
internal import Exposition
internal import Glibc
internal import Platform
internal import RingReader
internal import Ringside
internal import Series

/// The memory of a collector at a moment of its life under an even load.
struct MemoryPoint: Sendable {
    let minutes: Int
    /// RssAnon of the process.
    let anonymousBytes: Int
    /// Scrapes so far, each in every form.
    let scrapes: Int
    let drained, lost: UInt64
}

struct MemoryCounts: Sendable {
    var series = 100
    /// The rate of all series together.
    var recordsPerSecond = 10_000
    var minutes = [1, 20, 120]
}

/// A collector in this process that lives through the minutes under one load, by a clock that is set ahead. It is
/// scraped in every form each 15 seconds of that time.
struct MemoryRun {
    let counts: MemoryCounts
    private(set) var points: [MemoryPoint] = []

    private static let stepsPerSecond = 10
    private static let scrapeSeconds = 15

    init(counts: MemoryCounts) throws {
        self.counts = counts
        // The collector does this too.
        LargeBlocks.returnWhenFreed()
        let directory = try ScratchDirectory()
        let clock = AcceleratedClock()
        let options = AttachOptions(
            directory: directory.path, capacityRecords: 65_536, metricCapacity: max(64, counts.series))
        let telemetry = try Telemetry.attach("bot", options: options)
        var histograms: [Histogram] = []
        for index in 0..<counts.series {
            histograms.append(try telemetry.histogram(FilledBot.metricName(index), unit: .seconds, help: "A stage."))
        }
        let agent = DrainAgent(
            directory: RingDirectory(path: directory.path), filter: try RingFilter(names: [], owners: []),
            exchange: try SnapshotExchange(), readiness: Readiness(), logger: Logger(level: .error), version: "bench",
            maximumIntervalNanoseconds: 100_000_000, time: clock.source, clocks: clock)
        var forms = ScrapedForms()
        let values = FilledRings.spreadValues()
        var random = SplitMix(seed: 3)
        var scrapes = 0
        for second in 1...((counts.minutes.last ?? 1) * 60) {
            for _ in 0..<Self.stepsPerSecond {
                for _ in 0..<counts.recordsPerSecond / Self.stepsPerSecond {
                    let word = random.next()
                    histograms[Int(truncatingIfNeeded: word >> 32) % histograms.count].record(
                        values[Int(truncatingIfNeeded: word & 4095)], at: clock.instant)
                }
                clock.advance(by: 1_000_000_000 / Int64(Self.stepsPerSecond))
                _ = agent.doWork()
            }
            if second % Self.scrapeSeconds == 0 {
                forms.render(agent.snapshot(now: clock.source.monotonic()))
                scrapes += 1
            }
            guard second % 60 == 0, counts.minutes.contains(second / 60) else { continue }
            let ring = agent.snapshot(now: clock.source.monotonic()).bots[0].rings[0]
            points.append(
                MemoryPoint(
                    minutes: second / 60, anonymousBytes: ProcessUse(of: getpid()).anonymousBytes, scrapes: scrapes,
                    drained: ring.drained, lost: ring.lost.values.reduce(0, &+)))
        }
        agent.close()
        telemetry.close()
    }
}

/// Every form in which a snapshot is requested or pushed.
private struct ScrapedForms {
    private var remoteWrite = RemoteWrite(labels: [])
    private var sent = OTLPSentSeries()

    mutating func render(_ snapshot: Snapshot) {
        let families = Families(snapshot, process: nil)
        for format in ExpositionFormat.allCases {
            _ = format.render(families, histograms: NativeHistogramOptions(schema: 3, bucketLimit: 160))
        }
        _ = LatestJSON.render(snapshot)
        _ = HealthJSON.render(snapshot)
        _ = LineProtocol.batches(snapshot, labels: [], process: nil)
        _ = OTLPMetrics.requests(families, of: snapshot, labels: [], sent: &sent)
        _ = remoteWrite.requests(families, unixNanoseconds: snapshot.unixNanoseconds)
    }
}
