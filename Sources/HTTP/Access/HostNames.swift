internal import Glibc
internal import Platform

/// The host names to which the server answers.
///
/// A page of `evil.example` can make its name resolve to this machine's address once it is loaded. Its scripts may then
/// read this server's answers as those of their own site (DNS rebinding). The browser still sends that name as the
/// request's Host. An address as Host was not resolved by a name server, so every address is accepted.
struct HostNames: Sendable {
    private let names: Set<String>

    /// - Parameters:
    ///   - listenHost: The configured listen address.
    ///   - isLoopback: Whether that address is reachable only from this machine. Otherwise the machine's own names are
    ///     accepted too.
    ///   - configured: Names from the operator.
    init(listenHost: String, isLoopback: Bool, configured: [String]) {
        let machine = isLoopback ? [] : Self.ofThisMachine()
        names = Set(([listenHost] + configured + machine).compactMap { HTTPAuthority($0)?.host })
    }

    func accept(_ authority: HTTPAuthority, also configured: Set<String>) -> Bool {
        authority.isAddress || authority.host == "localhost" || authority.host.hasSuffix(".localhost")
            || names.contains(authority.host) || configured.contains(authority.host)
    }

    /// Returns the names of this machine: its host name alone, its names in /etc/hosts, and its host name with the
    /// search domains of resolv.conf(5). Queries no name server, which could delay the collector's start.
    static func ofThisMachine(
        hosts: String = "/etc/hosts", resolver: String = "/etc/resolv.conf"
    ) -> [String] {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return [] }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard !name.isEmpty else { return [] }
        let short = name.prefix { $0 != "." }.description
        let aliases = words(hosts).filter { $0.dropFirst().contains(name) || $0.dropFirst().contains(short) }
        let domains = words(resolver).filter { ["search", "domain"].contains($0.first) }.flatMap { $0.dropFirst() }
        return [name, short] + aliases.flatMap { $0.dropFirst() }.filter { $0 != "localhost" }
            + domains.map { "\(short).\($0)" }
    }

    /// Returns the words of each line, without comments; none if the file cannot be read.
    private static func words(_ path: String) -> [[String]] {
        let bytes = SmallFile.contents(of: path) ?? []
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map {
            $0.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
        }
    }
}
