internal import CMicroHTTPD

/// The origin and the target of a request, from its line and headers.
struct HTTPRequestHead: Sendable {
    let method: String
    /// The path, without the scheme and authority of an absolute target.
    let path: String
    /// The server's name in the request: an absolute target's authority, else the Host header; nil if neither is there,
    /// or it is invalid.
    let authority: HTTPAuthority?
    /// The reason why the request is invalid; nil if it is valid.
    let defect: String?
    let authorization: String?
    let body: Body
    /// The last event that a browser got before its stream of events ended.
    let lastEventID: String?
    /// The site of the page that made a browser send the request. Empty if no page did, according to the browser.
    private let origins: [String]
    private let fetchSites: [String]
    private let isNavigation: Bool

    /// The body that the headers announce.
    enum Body: Equatable, Sendable {
        case none
        case bytes(UInt64)
        /// Chunked, of unknown length.
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
        lastEventID = headers["last-event-id"].first
        origins = headers["origin"]
        fetchSites = headers["sec-fetch-site"]
        isNavigation = headers["sec-fetch-mode"] == ["navigate"] && headers["sec-fetch-dest"] == ["document"]
    }

    /// Returns the parts of a target such as `http://host/path` (RFC 9112, 3.2.2); nil for any other form.
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

    /// Returns whether a page of another site made a browser send the request. A link to a page of this server may be
    /// followed. Requests that come from no browser have none of these headers.
    ///
    /// Only the browser sets these headers: https://www.w3.org/TR/fetch-metadata/ and RFC 6454.
    ///
    /// - Parameter external: The origin at which a proxy shows this server.
    func isCrossSite(changesState: Bool, external: HTTPOrigin? = nil) -> Bool {
        if origins.contains(where: { !isOwn($0, external) }) { return true }
        if fetchSites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) { return false }
        return changesState || !isNavigation
    }

    /// Returns whether an Origin has the host and port by which the request names this server. The scheme is ignored,
    /// because a proxy may have ended TLS.
    private func isOwn(_ origin: String, _ external: HTTPOrigin?) -> Bool {
        guard let page = HTTPOrigin(origin) else { return false }
        if let external, page.isSame(as: external) { return true }
        guard let authority else { return false }
        return page.authority.host == authority.host
            && page.port == authority.port ?? HTTPOrigin.standardPort(isEncrypted: page.isEncrypted)
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
