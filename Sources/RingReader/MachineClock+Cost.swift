internal import CRingside

extension MachineClock {
    /// The clock that bots on this machine use.
    package static var kind: Life.Clock { Life.Clock(rawValue: ringside_clock_kind().rawValue) ?? .none }

    /// Measures the cost of reading the clock once, here and now, in nanoseconds: the least of several rounds.
    package static func readCostNanoseconds() -> Double {
        let kind = ringside_clock_kind().rawValue
        let reads = 2000
        let rounds = (0..<5).map { _ in
            let start = ringside_monotonic_ns()
            var sum: UInt64 = 0
            for _ in 0..<reads { sum &+= ringside_ticks(kind) }
            // The sum is used, so that the compiler does not remove a read.
            return Double(ringside_monotonic_ns() - start + (sum == 0 ? 1 : 0)) / Double(reads)
        }
        return rounds.min() ?? 0
    }
}
