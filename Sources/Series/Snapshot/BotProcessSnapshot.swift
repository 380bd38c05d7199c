/// What the system says of the processes that hold a bot's rings, summed over them. A process of several bots is in each.
package struct BotProcessSnapshot: Sendable, Equatable {
    /// Why a process cannot be looked at.
    package enum Obstacle: String, CaseIterable, Sendable {
        /// It runs in another pid namespace, where its number means another process than here.
        case pidNamespace = "pid_namespace"
        /// Its number is nobody's, or another process has it by now.
        case gone
        /// The system does not let the collector's user look (proc(5), hidepid).
        case permission
        /// The ring, or /proc, does not say enough to know that it is the bot's.
        case unidentified
    }

    /// What only grows: over all processes that the bot has had since the collector began, each from its own start.
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

    /// nil where no process could ever be looked at.
    package var totals: Totals?
    /// Processes that run now and can be looked at.
    package var processes = 0
    package var residentBytes: UInt64 = 0
    package var threads: UInt64 = 0
    /// Processes that run now and cannot.
    package var obstacles: [Obstacle: Int] = [:]

    package init() {}
}
