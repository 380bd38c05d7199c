/// The system's statistics of the collector's own process. The names follow Prometheus' client libraries.
package struct ProcessStatistics: Sendable {
    /// User and system time together, in seconds.
    package var cpuSeconds: Double
    package var openDescriptors: UInt64
    /// The soft limit of open descriptors.
    package var maximumDescriptors: UInt64
    package var virtualBytes: UInt64
    package var residentBytes: UInt64
    /// The time at which the process began, in seconds since the Unix epoch.
    package var startSeconds: Double
    package var threads: UInt64

    package init(
        cpuSeconds: Double, openDescriptors: UInt64, maximumDescriptors: UInt64, virtualBytes: UInt64,
        residentBytes: UInt64, startSeconds: Double, threads: UInt64
    ) {
        self.cpuSeconds = cpuSeconds
        self.openDescriptors = openDescriptors
        self.maximumDescriptors = maximumDescriptors
        self.virtualBytes = virtualBytes
        self.residentBytes = residentBytes
        self.startSeconds = startSeconds
        self.threads = threads
    }
}
