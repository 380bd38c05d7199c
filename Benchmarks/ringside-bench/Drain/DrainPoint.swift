/// The cost of draining a number of rings with a number of series.
struct DrainPoint: Sendable {
    enum Stage: String, CaseIterable, Sendable {
        /// Records are copied out and judged by the position, and nothing more.
        case copy
        /// The least work that gives percentiles, in C: records are copied, checked, and counted, with sum and
        /// extremes.
        case floor
        /// The collector's own turn: sketches, windows, and counters of everything.
        case windows
    }

    let stage: Stage
    let rings: Int
    /// The number of all bots' series together.
    let series: Int
    let cost: DrainCost

    var recordsPerSecond: Double { 1e9 / cost.mean }
}

/// Nanoseconds of one core a record.
struct DrainCost: Sendable {
    /// One figure a lap.
    private(set) var laps = Rounds()
    private var nanoseconds: Int64 = 0
    private var records = 0

    mutating func add(nanoseconds: Int64, records: Int) {
        laps.append(Double(nanoseconds) / Double(records))
        self.nanoseconds += nanoseconds
        self.records += records
    }

    /// The mean over all laps. It includes the turning of slices and windows, which falls into few of them.
    var mean: Double { Double(nanoseconds) / Double(records) }
}

/// A bound on the cost of the collector's turn: against its floor, or with many series against few. It holds for any
/// processor.
struct DrainTarget: Sendable {
    let what: String
    let limit: Double
    let ratio: Double
    var isReached: Bool { ratio <= limit }

    static func all(_ run: DrainRun) -> [DrainTarget] {
        run.ratiosToFloor.filter { $0.series == 64 }.map {
            DrainTarget(what: "windows / floor, \($0.rings) rings, 64 series", limit: 1.5, ratio: $0.ratio)
        }
            + run.points.filter { $0.stage == .windows && $0.series == 4096 }.compactMap { many in
                run.point(.windows, rings: many.rings, series: 64).map { few in
                    DrainTarget(
                        what: "4,096 / 64 series, \(many.rings) rings", limit: 2, ratio: many.cost.mean / few.cost.mean)
                }
            }
    }
}

struct DrainCounts: Sendable {
    var laps = 20
    var rings = [1, 4, 16, 64]
    var series = [1, 16, 64, 256, 4096]
}
