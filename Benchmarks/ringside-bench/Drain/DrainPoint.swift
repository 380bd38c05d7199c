/// What was measured of draining so many rings with so many series each.
struct DrainPoint: Sendable {
    enum Stage: String, CaseIterable, Sendable {
        /// Records copied out and judged by the position, and nothing more.
        case copy
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

struct DrainCounts: Sendable {
    var laps = 20
    var rings = [1, 4, 16, 64]
    var series = [1, 16, 64, 256, 4096]
}
