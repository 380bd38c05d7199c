internal import CMicroHTTPD
internal import Configuration
internal import Drain
internal import Platform

/// Lets requests in or not: by the size of their headers, how many come from one address, and who asks.
///
/// All of it is done on libmicrohttpd's thread within microseconds, but for the hashing of a password that was not seen before:
/// some 100 ms on a thread of its own, while the connection is suspended.
final class HTTPGate: Sendable {
    enum Verdict {
        case admitted
        case refused(HTTPResponse)
        /// The connection is suspended, and will be resumed once ``HTTPRequest/admission`` is there.
        case later
    }

    private let access: WebAccess
    private let connections: HTTPConnections
    private let rates = RequestRates()
    private let wrongPasswords = RequestRates()
    private let memory = PasswordMemory()
    private let desk = HTTPQuestionDesk()

    /// Wrong passwords of one address that are hashed: so many at once, then one in six seconds.
    private static let wrongPasswordBurst = 10.0
    private static let wrongPasswordsPerSecond = 1.0 / 6

    init(access: WebAccess, connections: HTTPConnections) {
        self.access = access
        self.connections = connections
    }

    /// Answers what waits: no connection may be suspended when the server stops.
    func close() { desk.close() }

    func judge(_ connection: OpaquePointer, path: String, request: HTTPRequest) -> Verdict {
        let loaded = access.current
        let limits = loaded.configuration.limits
        guard ringside_http_header_size(connection) <= limits.headerBytes else {
            return .refused(.text("the request's headers are too large", status: 431))
        }
        let address = connections.address(of: connection)
        let now = SnapshotExchange.now()
        guard rates.take(address, perSecond: limits.requestsPerSecond, burst: limits.burst, now: now) else {
            return .refused(.tooMany("too many requests"))
        }
        guard loaded.configuration.needsCredentials, !loaded.configuration.excludedPaths.contains(path) else {
            return .admitted
        }
        let header = MHD_lookup_connection_value(connection, .HEADER_KIND, "Authorization").map { String(cString: $0) }
        switch HTTPCredentials(header) {
        case .none, .malformed: return .refused(.unauthorized(loaded))
        case .bearer(let token): return isKnown(token, loaded) ? .admitted : .refused(.unauthorized(loaded))
        case .basic(let user, let password):
            return judge(user, password, loaded, connection, request, address: address, now: now)
        }
    }

    private func isKnown(_ token: String, _ loaded: WebAccess.Loaded) -> Bool {
        let digest = access.key.digest(token)
        return loaded.tokens.reduce(false) { Secrets.areEqual($1, digest) || $0 }
    }

    private func judge(
        _ user: String, _ password: String, _ loaded: WebAccess.Loaded, _ connection: OpaquePointer,
        _ request: HTTPRequest, address: HTTPClientAddress, now: MonotonicTime
    ) -> Verdict {
        let users = loaded.configuration.users
        // Who is no user is found out by as much work as who is one.
        guard let hash = users[user] ?? users.min(by: { $0.key < $1.key })?.value else {
            return .refused(.unauthorized(loaded))
        }
        let isUser = users[user] != nil
        let digest = access.key.digest("\(user)\u{0}\(password)\u{0}\(hash)")
        if let isRight = memory.isRight(digest) { return isRight ? .admitted : .refused(.unauthorized(loaded)) }
        let mayTry = wrongPasswords.hasToken(
            address, perSecond: Self.wrongPasswordsPerSecond, burst: Self.wrongPasswordBurst, now: now)
        guard mayTry else { return .refused(.tooMany("too many wrong passwords")) }
        MHD_suspend_connection(connection)
        let suspended = SuspendedConnection(connection)
        desk.ask([]) { [memory, wrongPasswords] _ in
            let isRight = Secrets.isPassword(password, of: hash) && isUser
            memory.note(digest, isRight: isRight)
            if isRight { return .text("") }
            _ = wrongPasswords.take(
                address, perSecond: Self.wrongPasswordsPerSecond, burst: Self.wrongPasswordBurst,
                now: SnapshotExchange.now())
            return .unauthorized(loaded)
        } answer: { response in
            request.settle(response.status == 200 ? .granted : .refused(response))
            suspended.resume()
        }
        return .later
    }
}

/// Whether a request was let in.
enum HTTPAdmission: Sendable {
    case wanted
    case granted
    case refused(HTTPResponse)
}

extension HTTPResponse {
    fileprivate static func tooMany(_ what: String) -> HTTPResponse {
        var response = text("\(what) from this address; try again later", status: 429)
        response.headers = [("Retry-After", "1")]
        return response
    }

    /// Says by which ways somebody can show who he is.
    fileprivate static func unauthorized(_ loaded: WebAccess.Loaded) -> HTTPResponse {
        var response = text("a user and a password, or a token, are wanted here", status: 401)
        if !loaded.configuration.users.isEmpty {
            response.headers.append(("WWW-Authenticate", "Basic realm=\"ringside\", charset=\"UTF-8\""))
        }
        if !loaded.tokens.isEmpty { response.headers.append(("WWW-Authenticate", "Bearer realm=\"ringside\"")) }
        return response
    }
}
