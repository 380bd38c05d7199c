package import Exposition
internal import Glibc
internal import Platform

extension ProcessStatistics {
    /// Reads /proc (proc(5)) and the limits of this process; nil if there is no /proc. Cost: about 50 us.
    package static func ofThisProcess() -> ProcessStatistics? {
        guard let stat = contents(of: "/proc/self/stat"), let end = stat.lastIndex(of: ")") else { return nil }
        // The name in parentheses may contain blanks, so fields are counted from the state after it, which is field 3.
        let fields = stat[end...].dropFirst(2).split(separator: " ").map { UInt64($0) ?? 0 }
        guard fields.count > 21, let boot = bootSeconds() else { return nil }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        return ProcessStatistics(
            cpuSeconds: Double(fields[11] &+ fields[12]) / ticks, openDescriptors: openDescriptors(),
            maximumDescriptors: descriptorLimit(), virtualBytes: fields[20],
            residentBytes: fields[21] &* UInt64(sysconf(Int32(_SC_PAGESIZE))),
            startSeconds: boot + Double(fields[19]) / ticks, threads: fields[17])
    }

    /// Returns the start of the system in seconds since the Unix epoch.
    private static func bootSeconds() -> Double? {
        let line = contents(of: "/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst("btime ".count)) }
    }

    private static func openDescriptors() -> UInt64 {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var entries: UInt64 = 0
        while readdir(directory) != nil { entries += 1 }
        // ".", ".." and the descriptor of this directory.
        return entries - min(entries, 3)
    }

    private static func descriptorLimit() -> UInt64 {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return UInt64(limit.rlim_cur)
    }

    private static func contents(of path: String) -> String? {
        SmallFile.contents(of: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
