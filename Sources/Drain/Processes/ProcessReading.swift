internal import Glibc
internal import Platform
internal import Series

/// The identity of a process: its id and its start, in clock ticks since the system's start. Ids are reused.
struct ProcessKey: Hashable, Sendable {
    let pid: Int32
    let startTicks: UInt64
}

/// The statistics of one process at one moment, from `/proc/PID/stat` (proc_pid_stat(5)) and the status of each of its
/// threads.
struct ProcessReading: Equatable {
    /// The totals. Their switches are left out, because those of a process are the sum over its threads.
    var totals = BotProcessSnapshot.Totals()
    var residentBytes: UInt64 = 0
    var threads: UInt64 = 0
    /// The switches by thread, for threads that run now.
    var switches: [Int32: ThreadSwitches] = [:]

    /// Context switches of one thread.
    struct ThreadSwitches: Equatable {
        var voluntary: UInt64 = 0
        var involuntary: UInt64 = 0

        mutating func add(_ other: ThreadSwitches) {
            voluntary &+= other.voluntary
            involuntary &+= other.involuntary
        }

        /// Returns how much greater these numbers are, or zero.
        func beyond(_ other: ThreadSwitches) -> ThreadSwitches {
            ThreadSwitches(
                voluntary: voluntary - min(voluntary, other.voluntary),
                involuntary: involuntary - min(involuntary, other.involuntary))
        }
    }

    /// The greatest number of threads whose switches are counted; further threads are left out.
    static let threadLimit = 256

    enum Outcome: Equatable {
        case read(ProcessReading)
        case failed(BotProcessSnapshot.Obstacle)
    }

    /// Reads the statistics of a process. Cost: some 40 us and 15 us a thread, nearly all of it in the kernel.
    ///
    /// Everything is read through one descriptor of the process' directory, which belongs to the process and not to its
    /// id. So the result cannot contain statistics of another process.
    ///
    /// - Parameter root: The mount point of proc(5).
    static func of(_ key: ProcessKey, root: String) -> Outcome {
        let directory = open("\(root)/\(key.pid)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return .failed(obstacle(errno)) }
        defer { close(directory) }
        guard let stat = ProcFile.withContents(of: "stat", in: directory, statFields) else {
            return .failed(obstacle(errno))
        }
        guard let fields = stat, fields[19] == key.startTicks else { return .failed(.gone) }
        var reading = ProcessReading(statFields: fields)
        reading.switches = threadSwitches(in: directory)
        return .read(reading)
    }

    private static func obstacle(_ code: Int32) -> BotProcessSnapshot.Obstacle {
        code == EACCES || code == EPERM ? .permission : .gone
    }

    /// Returns the fields after the name in parentheses, which may contain blanks. The first one is the state, field 3
    /// of the manual.
    static func statFields(_ stat: some BidirectionalCollection<UInt8>) -> [UInt64]? {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        var fields: [UInt64] = []
        fields.reserveCapacity(52)
        // The digits so far of the field that is being read; nil if it is not a number.
        var number: UInt64? = 0
        var isInField = false
        for byte in stat[end...].dropFirst(2) {
            if byte == UInt8(ascii: " ") {
                if isInField { fields.append(number ?? 0) }
                (number, isInField) = (0, false)
            } else {
                number = number.flatMap { ProcFile.number($0, followedBy: byte) }
                isInField = true
            }
        }
        if isInField { fields.append(number ?? 0) }
        return fields.count > 21 ? fields : nil
    }

    private init(statFields fields: [UInt64]) {
        totals.minorFaults = fields[7]
        totals.majorFaults = fields[9]
        totals.cpuSeconds = Double(fields[11] &+ fields[12]) / Double(sysconf(Int32(_SC_CLK_TCK)))
        threads = fields[17]
        residentBytes = fields[21] &* UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func threadSwitches(in directory: Int32) -> [Int32: ThreadSwitches] {
        var switches: [Int32: ThreadSwitches] = [:]
        for name in ProcFile.entries(of: "task", in: directory).prefix(threadLimit) {
            guard let id = Int32(name) else { continue }
            switches[id] = ProcFile.withContents(of: "task/\(name)/status", in: directory) { status in
                ThreadSwitches(
                    voluntary: ProcFile.field("voluntary_ctxt_switches:", of: status) ?? 0,
                    involuntary: ProcFile.field("nonvoluntary_ctxt_switches:", of: status) ?? 0)
            }
        }
        return switches
    }
}
