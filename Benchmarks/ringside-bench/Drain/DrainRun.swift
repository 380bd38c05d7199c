import Platform
internal import Drain
internal import RingReader

/// Fills rings and times their draining, by one core, lap after lap. Filling is outside the measurement.
struct DrainRun {
    private(set) var points: [DrainPoint] = []

    init(counts: DrainCounts) throws {
        Processors.pin(to: Processors.ours)
        for rings in counts.rings {
            for series in counts.series {
                points += try Self.measure(rings: rings, series: series, laps: counts.laps)
            }
        }
    }

    func point(_ stage: DrainPoint.Stage, rings: Int, series: Int) -> DrainPoint? {
        points.first { $0.stage == stage && $0.rings == rings && $0.series == series }
    }

    /// The cost of the collector's turn against the floor, over all laps.
    var ratiosToFloor: [(rings: Int, series: Int, ratio: Double)] {
        points.filter { $0.stage == .floor }.compactMap { floor in
            point(.windows, rings: floor.rings, series: floor.series).map {
                (floor.rings, floor.series, $0.cost.mean / floor.cost.mean)
            }
        }
    }

    /// Returns the cost of the collector's own turn a record, in nanoseconds, if nothing else is done.
    static func cost(rings: Int, series: Int, laps: Int) throws -> Double {
        try measure(rings: rings, series: series, laps: laps).first { $0.stage == .windows }?.cost.mean ?? .nan
    }

    /// Measures every stage in each lap, each on rings of its own. So a disturbance by the machine affects all stages
    /// alike.
    private static func measure(rings: Int, series: Int, laps: Int) throws -> [DrainPoint] {
        var drains: [(stage: DrainPoint.Stage, filled: FilledRings, drain: () -> Int)] = []
        for stage in DrainPoint.Stage.allCases {
            let filled = try FilledRings(rings: rings, series: series)
            drains.append((stage, filled, try drain(filled, stage)))
        }
        var costs: [DrainPoint.Stage: DrainCost] = [:]
        // In the first lap rings are found and pages are touched.
        for lap in 0...laps {
            for (stage, filled, drain) in drains {
                let nanoseconds = try nanoseconds(filled, drain)
                guard lap > 0 else { continue }
                costs[stage, default: DrainCost()].add(nanoseconds: nanoseconds, records: filled.recordsPerLap)
            }
        }
        return drains.map { DrainPoint(stage: $0.stage, rings: rings, series: series, cost: costs[$0.stage]!) }
    }

    private static func drain(_ filled: FilledRings, _ stage: DrainPoint.Stage) throws -> () -> Int {
        let directory = RingDirectory(path: filled.directory.path)
        switch stage {
        case .copy:
            let places = filled.names.compactMap { RingPlace($0, path: directory.path(of: $0)) }
            return { places.map { $0.readToEnd() }.reduce(0, +) }
        case .floor:
            let drains = filled.names.compactMap { FloorDrain($0, path: directory.path(of: $0)) }
            return { drains.map { $0.readToEnd() }.reduce(0, +) }
        case .windows:
            let agent = DrainAgent(
                directory: directory, filter: try RingFilter(names: [], owners: []), exchange: try SnapshotExchange(),
                readiness: Readiness(), logger: Logger(level: .error, format: .logfmt), version: "bench",
                maximumIntervalNanoseconds: 100_000_000)
            return { agent.doWork() }
        }
    }

    /// Measures processor time, not elapsed time, because other work on a shared machine is not the drain's.
    ///
    /// - Parameter drain: Drains one turn, and returns the number of records.
    private static func nanoseconds(_ filled: FilledRings, _ drain: () -> Int) throws -> Int64 {
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
        return threadNanoseconds() - begun
    }
}

/// An error: a drain ended before all written records were drained.
struct Incomplete: Error, CustomStringConvertible {
    let drained: Int
    let written: Int

    var description: String { "only \(drained) of \(written) records were drained" }
}
