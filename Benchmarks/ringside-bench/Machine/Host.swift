internal import CBench
internal import Glibc

/// The machine and the build that figures belong to.
struct Host: Sendable {
    let processor: String
    let processors: Int
    let kernel: String
    let clocksource: String
    /// The frequency governor; `none` if the machine has none, as in most virtual machines.
    let governor: String
    let swift: String
    let clang: String
    /// The commit checked out where this program was built; nil outside a git checkout.
    let commit: String?

    init() {
        processor = Self.processorModel()
        processors = Processors.allowed.count
        kernel = firstLine(ofFile: "/proc/sys/kernel/osrelease") ?? "unknown"
        clocksource =
            firstLine(ofFile: "/sys/devices/system/clocksource/clocksource0/current_clocksource") ?? "unknown"
        governor = firstLine(ofFile: "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") ?? "none"
        swift = "\(_SwiftStdlibVersion.current)"
        clang = String(cString: bench_compiler())
        commit = Self.commit()
    }

    private static func processorModel() -> String {
        let line = textFile("/proc/cpuinfo")?.split(separator: "\n").first { $0.hasPrefix("model name") }
        guard let model = line?.split(separator: ":", maxSplits: 1).last else { return "unknown" }
        return String(model.drop { $0 == " " })
    }

    private static func commit() -> String? {
        guard let output = try? Program.output(["git", "-C", Program.ownFolder, "rev-parse", "HEAD"]) else {
            return nil
        }
        let hash = output.prefix { $0.isHexDigit }
        return hash.count >= 40 ? String(hash) : nil
    }
}
