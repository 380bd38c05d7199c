internal import Configuration
internal import Glibc

/// The name or address by which a client reached the server, from a Host header, an Origin or an absolute request
/// target.
struct HTTPAuthority: Equatable, Sendable {
    /// In lower case, without a final dot. An IPv6 address keeps its brackets.
    let host: String
    /// Nil if there is none.
    let port: UInt16?
    /// Whether the host is an address. Then no name server can have redirected the client.
    let isAddress: Bool

    /// Returns nil unless the text is `host[:port]` (RFC 9110, 7.2).
    init?(_ text: some StringProtocol) {
        let isBracketed = text.hasPrefix("[")
        let end = isBracketed ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
        guard let end = end ?? (isBracketed ? nil : text.endIndex) else { return nil }
        var host = text[..<end].lowercased()
        if host.hasSuffix("."), host != "." { host.removeLast() }
        guard let port = Self.port(text[end...]) else { return nil }
        self.port = port.value
        self.host = host
        if isBracketed {
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else { return nil }
            isAddress = true
        } else {
            guard WebConfiguration.isHostName(host) else { return nil }
            var address = in_addr()
            isAddress = inet_pton(AF_INET, host, &address) == 1
        }
    }

    /// Returns the port in the text after the host; nil if the text is not a port. An empty port counts as no port.
    private static func port(_ text: some StringProtocol) -> (value: UInt16?, Void)? {
        guard let first = text.first else { return (nil, ()) }
        let digits = text.dropFirst()
        guard first == ":", digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        if digits.isEmpty { return (nil, ()) }
        return UInt16(digits).map { ($0, ()) }
    }
}
