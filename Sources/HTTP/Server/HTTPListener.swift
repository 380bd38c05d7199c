import Glibc

/// A listening socket.
struct HTTPListener {
    let descriptor: Int32
    /// The actual port, also if 0 was requested.
    let port: UInt16
    /// Whether only this machine can reach its address.
    let isLoopback: Bool

    /// - Parameters:
    ///   - host: A name or address; "" is all addresses, over IPv6 and IPv4.
    ///   - port: 0 for any free one.
    init(host: String, port: UInt16) throws(HTTPServerError) {
        // A name such as localhost has addresses of both families. Most clients try IPv4 first.
        let families = host.isEmpty ? [AF_INET6, AF_INET] : [AF_INET, AF_INET6]
        var problems: [Problem] = []
        for family in families where problems.allSatisfy(\.leavesOtherFamily) {
            do throws(Problem) {
                self.init(descriptor: try Self.listeningSocket(host: host, port: port, family: family))
                return
            } catch {
                problems.append(error)
            }
        }
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let problem = problems.first(where: \.isOfSystem) ?? problems[0]
        throw HTTPServerError("cannot listen on \(place): \(problem.text); choose another with --web.listen-address")
    }

    private enum Problem: Error {
        /// An error of getaddrinfo(3).
        case name(Int32)
        /// errno
        case system(Int32)

        /// Whether the other family is worth a try. It is not if the port is in use.
        var leavesOtherFamily: Bool {
            switch self {
            case .name, .system(EAFNOSUPPORT), .system(EADDRNOTAVAIL): true
            case .system: false
            }
        }

        var isOfSystem: Bool {
            if case .system = self { true } else { false }
        }

        var text: String {
            switch self {
            case .name(let code): String(cString: gai_strerror(code))
            case .system(let code): HTTPServerError.systemMessage(code)
            }
        }
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutablePointer(to: &address) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        // The port has the same offset in sockaddr_in and sockaddr_in6.
        port = UInt16(bigEndian: address.sin6_port)
        isLoopback = Self.isLoopback(address)
    }

    func close() { _ = Glibc.close(descriptor) }

    /// - Parameter address: Of either family.
    private static func isLoopback(_ address: sockaddr_in6) -> Bool {
        withUnsafeBytes(of: address) { bytes in
            guard Int32(address.sin6_family) == AF_INET6 else {
                // 127.0.0.0/8
                return bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr & UInt32(0xFF00_0000).bigEndian
                    == UInt32(0x7F00_0000).bigEndian
            }
            // ::1
            return withUnsafeBytes(of: address.sin6_addr) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
        }
    }

    private static func listeningSocket(host: String, port: UInt16, family: Int32) throws(Problem) -> Int32 {
        var hints = addrinfo()
        hints.ai_family = family
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host.isEmpty ? nil : host, "\(port)", &hints, &list)
        guard code == 0, let address = list?.pointee else { throw .name(code) }
        defer { freeaddrinfo(list) }
        guard let descriptor = open(address, isForAll: host.isEmpty) else { throw .system(errno) }
        return descriptor
    }

    /// Returns a listening socket; nil, with errno, on failure.
    private static func open(_ address: addrinfo, isForAll: Bool) -> Int32? {
        // SOCK_CLOEXEC and SOCK_NONBLOCK of socket(2) have these values. Swift's Glibc module does not always export
        // them.
        let flags = O_CLOEXEC | O_NONBLOCK
        let descriptor = socket(address.ai_family, address.ai_socktype | flags, 0)
        guard descriptor >= 0 else { return nil }
        // Every connection inherits this. For a client that does not read, the kernel holds at most this much of the
        // answer.
        set(SO_SNDBUF, at: SOL_SOCKET, to: 256 << 10, on: descriptor)
        set(SO_REUSEADDR, at: SOL_SOCKET, to: 1, on: descriptor)
        if address.ai_family == AF_INET6 {
            set(IPV6_V6ONLY, at: Int32(IPPROTO_IPV6), to: isForAll ? 0 : 1, on: descriptor)
        }
        if bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, Glibc.listen(descriptor, SOMAXCONN) == 0 {
            return descriptor
        }
        let code = errno
        _ = Glibc.close(descriptor)
        errno = code
        return nil
    }

    private static func set(_ option: Int32, at level: Int32, to value: Int32, on descriptor: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
