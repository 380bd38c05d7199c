internal import Glibc

/// An address of this machine that no other machine can reach, and a port.
struct LoopbackAddress: Equatable, Sendable {
    /// In the form that a URL has: `127.0.0.1`, `[::1]`.
    let host: String
    /// 0: any free one.
    let port: UInt16

    /// Reads `ADDRESS:PORT`, such as `127.0.0.1:8010`, `[::1]:8010` or `localhost:8010`. Returns nil for anything else,
    /// and for an address that other machines can reach.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[colon...].dropFirst()
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        let name = text[..<colon] == "localhost" ? "127.0.0.1" : String(text[..<colon])
        guard Self.isLoopback(name) else { return nil }
        (host, self.port) = (name, port)
    }

    /// Opens a listening socket that does not block.
    ///
    /// - Returns: The descriptor, and the port that it has.
    func listen() throws(FileError) -> (descriptor: Int32, port: UInt16) {
        let isIPv4 = !host.hasPrefix("[")
        // SOCK_CLOEXEC and SOCK_NONBLOCK of socket(2) have these values. Swift's Glibc module does not always export them.
        let type = Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK
        let descriptor = socket(isIPv4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else { throw failure() }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard (isIPv4 ? bindIPv4(descriptor) : bindIPv6(descriptor)) == 0, Glibc.listen(descriptor, SOMAXCONN) == 0
        else {
            let error = failure()
            close(descriptor)
            throw error
        }
        // The port has the same offset in sockaddr_in and sockaddr_in6.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutablePointer(to: &address) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (descriptor, UInt16(bigEndian: address.sin6_port))
    }

    private func failure() -> FileError { FileError(action: "listen on", path: "\(host):\(port)", code: errno) }

    private func bindIPv4(_ descriptor: Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private func bindIPv6(_ descriptor: Int32) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        inet_pton(AF_INET6, "::1", &address.sin6_addr)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    /// Returns whether a host is an address of 127.0.0.0/8, or `[::1]`.
    static func isLoopback(_ host: String) -> Bool {
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else { return host == "[::1]" }
        return UInt32(bigEndian: address.s_addr) >> 24 == 127
    }
}
