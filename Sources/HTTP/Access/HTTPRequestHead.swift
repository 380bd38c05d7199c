internal import CMicroHTTPD

/// What a request's line and headers say of where it comes from and where it means to go.
struct HTTPRequestHead: Sendable {
    let method: String
    /// The path, without the scheme and authority of an absolute target.
    let path: String
    /// The server as the request names it: an absolute target's authority, else the Host header; nil where it names none.
    let authority: HTTPAuthority?
    /// Why it is no request that could be answered; nil for one that is.
    let defect: String?
    let authorization: String?
    let body: Body
    /// Where the page is from that had a browser send it; nil where no page did, as far as the browser says.
    private let origins: [String]
    private let fetchSites: [String]
    private let isNavigation: Bool

    /// The body that a request announces.
    enum Body: Equatable, Sendable {
        case none
        case bytes(UInt64)
        /// In chunks, of which nobody knows the number.
        case chunked
        case malformed
    }

    init(method: String, target: String, version: String, headers: HTTPHeaders) {
        self.method = method
        let absolute = Self.absolute(target)
        path = absolute?.path ?? target
        let hosts = headers["host"]
        let named = absolute.map { [$0.authority] } ?? []
        let authorities = (named + hosts).map { HTTPAuthority($0) }
        authority = authorities.first ?? nil
        defect =
            if hosts.count > 1 {
                "the request has more than one Host header"
            } else if hosts.isEmpty, version != "HTTP/1.0" {
                "the request has no Host header, which HTTP/1.1 asks for"
            } else if authorities.contains(nil) {
                "the request's Host is no host name or address with or without a port"
            } else {
                nil
            }
        authorization = headers["authorization"].first
        body = Self.body(headers)
        origins = headers["origin"]
        fetchSites = headers["sec-fetch-site"]
        isNavigation = headers["sec-fetch-mode"] == ["navigate"] && headers["sec-fetch-dest"] == ["document"]
    }

    /// The parts of a target such as `http://host/path` (RFC 9112, 3.2.2); nil for any other form.
    private static func absolute(_ target: String) -> (authority: String, path: String)? {
        guard let scheme = ["http://", "https://"].first(where: { target.lowercased().hasPrefix($0) }) else {
            return nil
        }
        let rest = target.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count)
        return (String(authority), path.isEmpty ? "/" : String(path))
    }

    private static func body(_ headers: HTTPHeaders) -> Body {
        let lengths = headers["content-length"]
        guard headers["transfer-encoding"].isEmpty else { return lengths.isEmpty ? .chunked : .malformed }
        guard let length = lengths.first else { return .none }
        guard lengths.count == 1, length.utf8.allSatisfy({ (48...57).contains($0) }), let bytes = UInt64(length) else {
            return .malformed
        }
        return bytes == 0 ? .none : .bytes(bytes)
    }

    /// Whether a page of another site had a browser send it. A person who follows a link to a page of this server counts as
    /// the person; what no browser sent has none of these headers.
    ///
    /// The headers are set by the browser alone: https://www.w3.org/TR/fetch-metadata/ and RFC 6454.
    func isCrossSite(changesState: Bool) -> Bool {
        if origins.contains(where: { !isOwn($0) }) { return true }
        if fetchSites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) { return false }
        return changesState || !isNavigation
    }

    /// Whether an Origin is this server as the request names it. The scheme does not count: a proxy may have ended TLS.
    private func isOwn(_ origin: String) -> Bool {
        let schemes = [("http://", UInt16(80)), ("https://", 443)]
        guard let (scheme, standard) = schemes.first(where: { origin.lowercased().hasPrefix($0.0) }),
            let page = HTTPAuthority(origin.dropFirst(scheme.count)), let authority
        else { return false }
        return page.host == authority.host && page.port ?? standard == authority.port ?? standard
    }
}

/// All headers of a request, by name in lower case.
final class HTTPHeaders {
    private var values: [String: [String]] = [:]

    init(_ values: [String: [String]] = [:]) { self.values = values }

    init(of connection: OpaquePointer) {
        _ = MHD_get_connection_values(
            connection, .HEADER_KIND,
            { context, _, name, value in
                let headers = Unmanaged<HTTPHeaders>.fromOpaque(context!).takeUnretainedValue()
                guard let name else { return .YES }
                headers.values[String(cString: name).lowercased(), default: []].append(
                    value.map { String(cString: $0) } ?? "")
                return .YES
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    subscript(name: String) -> [String] { values[name] ?? [] }
}
