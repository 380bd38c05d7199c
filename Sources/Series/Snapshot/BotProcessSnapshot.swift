/// The system's statistics of the processes that hold a bot's rings, summed over them. A process of several bots counts
/// for each.
package struct BotProcessSnapshot: Sendable, Equatable {
    /// The reason why the statistics of a process cannot be read.
    package enum Obstacle: String, CaseIterable, Sendable {
        /// It runs in another pid namespace, where its process id means another process than here.
        case pidNamespace = "pid_namespace"
        /// There is no process of this id, or another process has it now.
        case gone
        /// The collector's user has no permission (proc(5), hidepid).
        case permission
        /// The ring or /proc does not contain enough to identify the process as the bot's.
        case unidentified
    }

    /// The counters: over all processes that the bot has had since the collector began, each from its own start.
    package struct Totals: Sendable, Equatable {
        /// User and system time together, in seconds.
        package var cpuSeconds = 0.0
        package var minorFaults: UInt64 = 0
        package var majorFaults: UInt64 = 0
        package var voluntarySwitches: UInt64 = 0
        package var involuntarySwitches: UInt64 = 0

        package init() {}

        package static func + (a: Totals, b: Totals) -> Totals {
            var sum = a
            sum.cpuSeconds += b.cpuSeconds
            sum.minorFaults &+= b.minorFaults
            sum.majorFaults &+= b.majorFaults
            sum.voluntarySwitches &+= b.voluntarySwitches
            sum.involuntarySwitches &+= b.involuntarySwitches
            return sum
        }
    }

    /// Nil if the statistics of no process could ever be read.
    package var totals: Totals?
    /// The number of running processes whose statistics can be read.
    package var processes = 0
    package var residentBytes: UInt64 = 0
    package var threads: UInt64 = 0
    /// The number of running processes whose statistics cannot be read, by reason.
    package var obstacles: [Obstacle: Int] = [:]

    package init() {}
}
