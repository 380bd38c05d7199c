/// The site of a web page: the scheme, host and port of its URL (RFC 6454).
struct HTTPOrigin: Sendable {
    let isEncrypted: Bool
    let authority: HTTPAuthority

    /// Returns nil unless the text is `http://host[:port]` or `https://host[:port]`.
    init?(_ text: some StringProtocol) {
        let lowercased = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: { lowercased.hasPrefix($0) }),
            let authority = HTTPAuthority(lowercased.dropFirst(scheme.count))
        else { return nil }
        (isEncrypted, self.authority) = (scheme == "https://", authority)
    }

    /// Makes the origin of a page. Returns nil unless its URL begins with http:// or https://.
    init?(ofURL url: String) {
        guard let slashes = url.firstRange(of: "://") else { return nil }
        let authority = url[slashes.upperBound...].prefix { $0 != "/" }
        self.init(url[..<slashes.upperBound] + authority)
    }

    var port: UInt16 { authority.port ?? Self.standardPort(isEncrypted: isEncrypted) }

    static func standardPort(isEncrypted: Bool) -> UInt16 { isEncrypted ? 443 : 80 }

    func isSame(as other: HTTPOrigin) -> Bool {
        isEncrypted == other.isEncrypted && authority.host == other.authority.host && port == other.port
    }
}
