internal import CRingside

/// The clock by which bots of this machine tick.
package enum MachineClock {
    package static var kind: Life.Clock { Life.Clock(rawValue: ringside_clock_kind().rawValue) ?? .none }

    /// What one read of it costs here and now, in nanoseconds: the least of several rounds.
    package static func readCostNanoseconds() -> Double {
        let kind = ringside_clock_kind().rawValue
        let reads = 2000
        let rounds = (0..<5).map { _ in
            let start = ringside_monotonic_ns()
            var sum: UInt64 = 0
            for _ in 0..<reads { sum &+= ringside_ticks(kind) }
            // The sum is used, so that no read is left out.
            return Double(ringside_monotonic_ns() - start + (sum == 0 ? 1 : 0)) / Double(reads)
        }
        return rounds.min() ?? 0
    }
}

/// What the machine allows and offers to rings.
package enum MachineLimits {
    /// RLIMIT_MEMLOCK of this process in bytes; `UInt64.max` for none.
    package static var memoryLockBytes: UInt64 { ringside_memory_lock_limit() }

    /// The kind of file system that a path lies on, as statfs(2) numbers them; nil where the system does not say.
    package static func fileSystemType(of path: String) -> Int64? {
        let type = ringside_file_system_type(path)
        return type < 0 ? nil : type
    }
}
