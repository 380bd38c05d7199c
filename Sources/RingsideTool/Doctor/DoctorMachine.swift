internal import Platform
internal import RingReader

/// Checks of the machine that affect telemetry: its clock, its limits, its processors.
struct DoctorMachine {
    /// The size of the largest ring in the ring directory; the default size if there is none.
    let ringBytes: Int

    func findings() -> [DoctorFinding] { [clock, memoryLock, governor] }

    private var clock: DoctorFinding {
        let kind = MachineClock.kind
        let cost = Figures.fixed(MachineClock.readCostNanoseconds(), decimals: 0)
        let found = "bots use the clock \(kind.name), \(cost) ns a read here, two reads a span"
        guard kind == .monotonic || kind == .none else { return .ok("clock", found) }
        return .warn(
            "clock",
            "\(found): the time-stamp counter is not invariant, or the kernel does not trust it "
                + "(/sys/devices/system/clocksource/clocksource0/available_clocksource has no tsc)",
            mend: "look for the reason in dmesg; a virtual machine's host must pass the counter through")
    }

    private var memoryLock: DoctorFinding {
        let limit = MachineLimits.memoryLockBytes
        guard limit < UInt64(ringBytes) else {
            return .ok("memory lock", "the limit allows a ring of \(ringBytes / 1024) KiB")
        }
        return .warn(
            "memory lock",
            "RLIMIT_MEMLOCK is \(limit / 1024) KiB here and a ring takes \(ringBytes / 1024) KiB: a bot that asks "
                + "for locksMemory runs with unlocked pages",
            mend: "raise it by LimitMEMLOCK= of the bot's unit or by ulimit -l, where bots ask for it")
    }

    private var governor: DoctorFinding {
        let processors = (try? RingDirectory(path: "/sys/devices/system/cpu").fileNames()) ?? []
        let governors = processors.filter { $0.hasPrefix("cpu") && $0.dropFirst(3).allSatisfy(\.isNumber) }
            .compactMap { SmallFile.lines(of: "/sys/devices/system/cpu/\($0)/cpufreq/scaling_governor")?.first }
        guard let slow = governors.first(where: { $0 != "performance" }) else {
            return .ok(
                "cpu governor",
                governors.isEmpty ? "not visible here, as in most virtual machines" : "performance on all processors")
        }
        return .warn(
            "cpu governor",
            "\(slow) on \(governors.count { $0 != "performance" }) of \(governors.count) processors: a bot that waits for its "
                + "next tick runs slower when it comes, and its measured times with it",
            mend: "cpupower frequency-set -g performance")
    }
}
