/// The resources that a process has used and holds, from /proc.
struct ProcessUse: Sendable {
    /// The processor time of all its threads.
    let processorNanoseconds: UInt64
    let anonymousBytes: Int
    /// Resident memory, in which shared pages count by their share. The rings' pages are included.
    let proportionalBytes: Int

    /// Reads the figures. A figure that /proc does not have is 0.
    init(of pid: Int32) {
        processorNanoseconds = Self.processorNanoseconds(pid)
        anonymousBytes = Self.kilobytes("RssAnon:", in: "/proc/\(pid)/status") * 1024
        proportionalBytes = Self.kilobytes("Pss:", in: "/proc/\(pid)/smaps_rollup") * 1024
    }

    /// Returns nanoseconds (proc_pid_schedstat, the first number). /proc/PID/stat counts only hundredths of a second.
    private static func processorNanoseconds(_ pid: Int32) -> UInt64 {
        names(in: "/proc/\(pid)/task").reduce(0) { sum, thread in
            let line = firstLine(ofFile: "/proc/\(pid)/task/\(thread)/schedstat")
            return sum + (line?.split(separator: " ").first.flatMap { UInt64($0) } ?? 0)
        }
    }

    private static func kilobytes(_ field: String, in file: String) -> Int {
        let line = textFile(file)?.split(separator: "\n").first { $0.hasPrefix(field) }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
