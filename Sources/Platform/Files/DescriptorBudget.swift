internal import Glibc

/// How the descriptors that the system lets this process have are shared out: first to what the collector cannot do without,
/// then to connections, and what is left to rings, which can be read without.
package struct DescriptorBudget: Equatable, Sendable {
    /// Connections of the HTTP server that are open at one time.
    package let connections: Int
    /// Rings whose descriptor is kept.
    package let rings: Int

    /// For the databases, exports, logs and files that are open for a moment.
    private static let reserved = 64
    /// Connections that are being closed while others are open.
    private static let closing = 16

    /// - Parameter limit: Descriptors that the process may have.
    package init(limit: Int) {
        let free = max(0, limit - Self.reserved)
        connections = max(4, free / 4)
        rings = max(0, free - connections - Self.closing)
    }

    package init(connections: Int, rings: Int) {
        self.connections = connections
        self.rings = rings
    }

    /// For who counts no descriptors.
    package static var unbounded: DescriptorBudget { DescriptorBudget(limit: Int(Int32.max)) }

    /// Raises the process' limit as far as the system allows, and shares it out.
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
