internal import RingReader
internal import Ringside

/// The result of writing at one rate into a ring of the default size, with a collector in another process.
struct LossPoint: Sendable {
    /// The requested records a second; nil for as many as possible.
    let wanted: Double?
    let recordsPerSecond: Double
    let written: Int
    let drained, lost: UInt64
}

struct TwoProcessCounts: Sendable {
    var trials = 60
    var rates: [Double?] = [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 20_000_000, 40_000_000, nil]
    var secondsPerRate = 3.0
}

/// A bot in this process, and its collector in another process.
struct TwoProcessRun {
    /// Milliseconds from a record's writing to the end of the answer that shows it. The first question is asked at
    /// once.
    private(set) var visibleMilliseconds = Rounds()
    private(set) var losses: [LossPoint] = []

    private let collector: CollectorProcess
    private let bots: FilledRings

    init(counts: TwoProcessCounts) throws {
        bots = try FilledRings(rings: 1, series: 4, capacityRecords: 131_072)
        collector = try CollectorProcess(rings: bots.directory)
        try measureVisibility(trials: counts.trials)
        for rate in counts.rates { losses.append(try measureLoss(rate: rate, seconds: counts.secondsPerRate)) }
    }

    /// The highest rate at which, and below which, nothing was lost; nil if even the lowest lost records.
    var sustainable: Double? { losses.prefix { $0.lost == 0 }.last?.recordsPerSecond }

    /// Measures the delays of single records, written at moments that are independent of the collector's own.
    private mutating func measureVisibility(trials: Int) throws {
        var random = SplitMix(seed: 3)
        let metric = FilledBot.metricName(0)
        var seen: UInt64 = 0
        for trial in 0...trials {
            sleep(nanoseconds: 50_000_000 + Int64(random.next() % 150_000_000))
            let begun = monotonicNanoseconds()
            bots.write(1, series: 0)
            seen += 1
            while try collector.latest()?.count(of: metric) ?? 0 < seen {
                let waited = monotonicNanoseconds() - begun
                guard waited < 30_000_000_000 else { throw Incomplete(drained: 0, written: 1) }
            }
            if trial > 0 { visibleMilliseconds.append(Double(monotonicNanoseconds() - begun) * 1e-6) }
        }
    }

    private func measureLoss(rate: Double?, seconds: Double) throws -> LossPoint {
        let before = try collector.latestWhenDrained()
        let (records, elapsed) = PacedWriter.run(rate: rate, seconds: seconds) { bots.write($0) }
        let after = try collector.latestWhenDrained()
        return LossPoint(
            wanted: rate, recordsPerSecond: Double(records) / elapsed, written: records,
            drained: after.drained - before.drained, lost: after.lost - before.lost)
    }
}
