import Platform
internal import Drain
internal import RingReader

/// Fills rings and times their draining, by one core, lap after lap; filling is outside the measurement.
struct DrainRun {
    private(set) var points: [DrainPoint] = []

    init(counts: DrainCounts) throws {
        Processors.pin(to: Processors.ours)
        for rings in counts.rings {
            for series in counts.series {
                points.append(try Self.copy(rings: rings, series: series, laps: counts.laps))
                points.append(try Self.windows(rings: rings, series: series, laps: counts.laps))
            }
        }
    }

    func point(_ stage: DrainPoint.Stage, rings: Int, series: Int) -> DrainPoint? {
        points.first { $0.stage == stage && $0.rings == rings && $0.series == series }
    }

    private static func copy(rings: Int, series: Int, laps: Int) throws -> DrainPoint {
        let filled = try FilledRings(rings: rings, series: series)
        let directory = RingDirectory(path: filled.directory.path)
        let places = filled.names.compactMap { RingPlace($0, path: directory.path(of: $0)) }
        return DrainPoint(
            stage: .copy, rings: rings, series: series,
            cost: try measure(filled, laps) { places.map { $0.readToEnd() }.reduce(0, +) })
    }

    private static func windows(rings: Int, series: Int, laps: Int) throws -> DrainPoint {
        let filled = try FilledRings(rings: rings, series: series)
        let agent = DrainAgent(
            directory: RingDirectory(path: filled.directory.path), filter: try RingFilter(names: [], owners: []),
            exchange: try SnapshotExchange(), readiness: Readiness(),
            logger: Logger(level: .error, format: .logfmt), version: "bench", maximumIntervalNanoseconds: 100_000_000)
        return DrainPoint(
            stage: .windows, rings: rings, series: series, cost: try measure(filled, laps) { agent.doWork() })
    }

    /// Processor time, not time: what others do on a shared machine is not the drain's.
    ///
    /// - Parameter drain: One turn; gives the records that it took.
    private static func measure(_ filled: FilledRings, _ laps: Int, _ drain: () -> Int) throws -> DrainCost {
        var cost = DrainCost()
        for lap in 0...laps {
            filled.fillOnPartner()
            var drained = 0
            let begun = threadNanoseconds()
            var idleTurns = 0
            while drained < filled.recordsPerLap {
                let records = drain()
                drained += records
                idleTurns = records > 0 ? 0 : idleTurns + 1
                guard idleTurns < 1000 else { throw Incomplete(drained: drained, written: filled.recordsPerLap) }
            }
            // In the first lap rings are found and pages touched.
            if lap > 0 { cost.add(nanoseconds: threadNanoseconds() - begun, records: filled.recordsPerLap) }
        }
        return cost
    }
}

/// A drain that ended before what was written.
struct Incomplete: Error, CustomStringConvertible {
    let drained: Int
    let written: Int

    var description: String { "only \(drained) of \(written) records were drained" }
}
