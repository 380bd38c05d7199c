internal import Glibc
internal import Platform
internal import Series

/// Which process: its number and when it began, in clock ticks since the system's start. A number alone is given to others
/// again.
struct ProcessKey: Hashable, Sendable {
    let pid: Int32
    let startTicks: UInt64
}

/// What one process was at one look, from `/proc/PID/stat` (proc_pid_stat(5)) and the status of each of its threads.
struct ProcessReading: Equatable {
    /// Switches are not in here: a process' own are the sum of its threads'.
    var totals = BotProcessSnapshot.Totals()
    var residentBytes: UInt64 = 0
    var threads: UInt64 = 0
    /// By thread, as far as they run now.
    var switches: [Int32: ThreadSwitches] = [:]

    /// Context switches of one thread.
    struct ThreadSwitches: Equatable {
        var voluntary: UInt64 = 0
        var involuntary: UInt64 = 0

        mutating func add(_ other: ThreadSwitches) {
            voluntary &+= other.voluntary
            involuntary &+= other.involuntary
        }

        /// What there is here and not there; nothing where there is more there.
        func beyond(_ other: ThreadSwitches) -> ThreadSwitches {
            ThreadSwitches(
                voluntary: voluntary - min(voluntary, other.voluntary),
                involuntary: involuntary - min(involuntary, other.involuntary))
        }
    }

    /// Threads whose switches are counted; of a process that has more, those beyond are left out.
    static let threadLimit = 256

    enum Outcome: Equatable {
        case read(ProcessReading)
        case failed(BotProcessSnapshot.Obstacle)
    }

    /// Looks at a process. Some 40 us and 15 us a thread, nearly all of it the kernel's.
    ///
    /// Everything is read beneath one descriptor of its directory, which belongs to the process and not to the number: nothing
    /// of another one can get in between.
    ///
    /// - Parameter root: Where proc(5) is mounted.
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

    /// The fields after the name in parentheses, which may hold blanks: the first is the state, field 3 of the manual.
    static func statFields(_ stat: some BidirectionalCollection<UInt8>) -> [UInt64]? {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[end...].dropFirst(2).split(separator: UInt8(ascii: " ")).map { ProcFile.number($0) ?? 0 }
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
