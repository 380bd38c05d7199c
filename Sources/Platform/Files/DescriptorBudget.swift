internal import Glibc

/// The division of the process' file descriptors. First come the collector's indispensable ones, then connections. The
/// rest goes to rings, which can be read without a descriptor.
package struct DescriptorBudget: Equatable, Sendable {
    /// The greatest number of open connections of the HTTP server.
    package let connections: Int
    /// The greatest number of rings whose descriptor is kept open.
    package let rings: Int

    /// The descriptors for databases, exports, logs, and files that are open only briefly.
    private static let reserved = 64
    /// The descriptors for connections that are being closed.
    private static let closing = 16

    /// - Parameter limit: The process' limit on descriptors.
    package init(limit: Int) {
        let free = max(0, limit - Self.reserved)
        connections = max(4, free / 4)
        rings = max(0, free - connections - Self.closing)
    }

    package init(connections: Int, rings: Int) {
        self.connections = connections
        self.rings = rings
    }

    /// The budget for callers that do not count descriptors.
    package static var unbounded: DescriptorBudget { DescriptorBudget(limit: Int(Int32.max)) }

    /// Raises the process' limit as far as the system allows, and divides it.
    package static func raised() -> DescriptorBudget {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return DescriptorBudget(limit: 1024) }
        var wanted = limit
        wanted.rlim_cur = limit.rlim_max
        if setrlimit(resource, &wanted) == 0 { limit = wanted }
        return DescriptorBudget(limit: Int(clamping: min(limit.rlim_cur, rlim_t(Int32.max))))
    }
}
