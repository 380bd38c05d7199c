internal import CRingside

/// How to attach. Every option has a default that suits a bot of one thread.
public struct AttachOptions: Sendable {
    /// What to do with a ring that a dead or closed producer has left under the name.
    public enum Mode: Sendable {
        /// Resumes it if its geometry, version and boot fit: position, counters and histograms continue. Otherwise
        /// replaces it.
        case resume
        /// Replaces it by a new ring. A collector that holds the old ring drains it to its end.
        case fresh
    }

    /// The ring directory. Default: `RINGSIDE_DIR` in the environment, else `/dev/shm`.
    public var directory: String?
    /// The number of records that the ring holds, a power of two from 2 to 67,108,864. Default: `RINGSIDE_CAPACITY`,
    /// else 131,072 (4 MiB).
    public var capacityRecords: Int?
    /// The number of metrics that the ring has room for, 1 to 32,768. Default: 512.
    public var metricCapacity: Int?
    /// What to do with a ring that is already there. Default: ``Mode/resume``.
    public var mode: Mode
    /// Whether a truncation of the ring's file disables telemetry instead of ending the bot by SIGBUS. Only the file's
    /// owner and root can truncate it. Installs a SIGBUS handler, which passes on every fault outside a ring. Default:
    /// false.
    public var guardsAgainstTruncation: Bool
    /// A ceiling on the records that histograms write in a second, 100 to 10,000,000. Default: `RINGSIDE_MAX_RATE`,
    /// else no ceiling and no cost.
    ///
    /// Above the ceiling calls are sampled, no more than needed, and each record says how many calls it stands for. The
    /// weights are unbiased for every pattern of calls. Below the ceiling every call is written, and again within some
    /// 50 ms after a burst. No second has more records than the ceiling and 8 % of it. Counters, gauges and changes of
    /// gauges are not sampled. A ceiling costs 3 ns a call of a histogram, and while it samples a clock read every 16
    /// calls.
    public var maximumRecordsPerSecond: Int?
    /// Whether the ring's pages are locked in memory (mlock(2)), so that no emit ever waits for a page to be swapped
    /// in. If the system refuses, the bot goes on without the lock, and ``Telemetry/warning`` says what to raise.
    /// Default: false.
    public var locksMemory: Bool
    /// The bot's constant labels, at most 16. The collector adds them to every series, at no cost on the emit path.
    public var labels: Labels

    public init(
        directory: String? = nil, capacityRecords: Int? = nil, metricCapacity: Int? = nil, mode: Mode = .resume,
        guardsAgainstTruncation: Bool = false, maximumRecordsPerSecond: Int? = nil, locksMemory: Bool = false,
        labels: Labels = [:]
    ) {
        self.directory = directory
        self.capacityRecords = capacityRecords
        self.metricCapacity = metricCapacity
        self.mode = mode
        self.guardsAgainstTruncation = guardsAgainstTruncation
        self.maximumRecordsPerSecond = maximumRecordsPerSecond
        self.locksMemory = locksMemory
        self.labels = labels
    }

    /// Converts an option to the number type of C. A value out of its range becomes one that the C library refuses.
    private static func clamped(_ value: Int?) -> UInt32 {
        guard let value else { return 0 }
        return value <= 0 ? .max : UInt32(clamping: value)
    }

    func withCOptions<Result>(_ body: (ringside_options) -> Result) -> Result {
        labels.withCLabels { cLabels in
            func call(_ directory: UnsafePointer<CChar>?) -> Result {
                body(
                    ringside_options(
                        directory: directory,
                        capacity_records: Self.clamped(capacityRecords),
                        metric_capacity: Self.clamped(metricCapacity),
                        mode: UInt32((mode == .fresh ? RINGSIDE_FRESH : RINGSIDE_RESUME).rawValue),
                        label_count: UInt32(cLabels.count),
                        guard: guardsAgainstTruncation ? 1 : 0,
                        maximum_records_per_second: Self.clamped(maximumRecordsPerSecond),
                        lock_memory: locksMemory ? 1 : 0,
                        labels: cLabels.baseAddress))
            }
            guard let directory else { return call(nil) }
            return withCText(directory, call)
        }
    }
}
