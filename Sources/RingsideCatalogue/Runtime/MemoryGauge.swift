internal import Glibc
public import Ringside

/// The memory of one part of the bot, in ``HealthPlane/componentMemory``: a gauge that is set from a closure whenever
/// the bot calls ``measure()``.
///
/// ```swift
/// let process = try MemoryGauge(telemetry)                                   // resident memory of all
/// let books = try MemoryGauge(telemetry, "order_books") { arena.byteCount }  // what a part says of itself
/// process.measure()                                                          // now and then, off the hot path
/// ```
///
/// Not `Sendable`: it belongs to the ring's one producer.
public struct MemoryGauge {
    private let gauge: Gauge
    private let bytes: () -> Int?

    /// - Parameters:
    ///   - component: Default: the whole process, by ``residentBytes()``.
    ///   - bytes: Returns how many bytes the part holds now. If it returns nil, for unknown, the gauge stays unchanged.
    /// - Throws: ``RegistrationError``.
    public init(
        _ telemetry: borrowing Telemetry, _ component: Label.Component = "process",
        bytes: @escaping () -> Int? = MemoryGauge.residentBytes
    ) throws(RegistrationError) {
        gauge = try telemetry.instrument(HealthPlane.componentMemory, component)
        self.bytes = bytes
    }

    /// Calls the closure, sets the gauge and returns the value set. For the process this costs some 10 us, and system
    /// calls.
    @discardableResult
    public func measure() -> Int? {
        guard let bytes = bytes() else { return nil }
        gauge.set(Double(bytes))
        return bytes
    }

    /// Returns the process' resident memory in bytes, from /proc/self/statm (proc_pid_statm(5)); nil if there is no
    /// such file. Costs some 10 us, and system calls.
    public static func residentBytes() -> Int? {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            let count = read(descriptor, buffer.baseAddress!, buffer.count)
            guard count > 0 else { return nil }
            // The fields are numbers of pages: all, resident, and others.
            let fields = buffer[..<count].split(separator: UInt8(ascii: " "), maxSplits: 2)
            guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else { return nil }
            return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
    }
}
