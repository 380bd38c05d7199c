/// What was measured of draining so many rings with so many series each.
struct DrainPoint: Sendable {
    enum Stage: String, CaseIterable, Sendable {
        /// Records copied out and judged by the position, and nothing more.
        case copy
        /// The least that gives percentiles, in C: copied, checked, one count, sum and extremes.
        case floor
        /// The collector's own turn: sketches, windows, counters of everything.
        case windows
    }

    let stage: Stage
    let rings: Int
    /// Of all bots together.
    let series: Int
    let cost: DrainCost

    var recordsPerSecond: Double { 1e9 / cost.mean }
}

/// Nanoseconds of one core a record.
struct DrainCost: Sendable {
    /// A figure a lap.
    private(set) var laps = Rounds()
    private var nanoseconds: Int64 = 0
    private var records = 0

    mutating func add(nanoseconds: Int64, records: Int) {
        laps.append(Double(nanoseconds) / Double(records))
        self.nanoseconds += nanoseconds
        self.records += records
    }

    /// Over all laps: the turning of slices and windows, which falls into few of them, is in it.
    var mean: Double { Double(nanoseconds) / Double(records) }
}

/// What the collector's turn costs against its floor, and with many series against few: bounds for whatever processor it runs on.
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
