internal import CMicroHTTPD
internal import Configuration
internal import Drain
internal import Platform

/// Admits or refuses requests by the rate of their address, the size of their headers, the host name that they use, the
/// page from which they come, and their credentials.
///
/// A request is judged by its headers, before any byte of its body has come. That takes microseconds on libmicrohttpd's
/// thread. Only a password that was not seen before takes longer. Hashing takes some 100 ms on a thread of its own,
/// while the connection is suspended.
final class RequestAdmission: Sendable {
    enum Verdict: Sendable {
        case admitted
        case refused(HTTPResponse)
        /// A password must be hashed first.
        case asked(PasswordQuestion)
    }

    struct PasswordQuestion: Sendable {
        fileprivate let user: String
        fileprivate let password: String
        fileprivate let hash: String
        fileprivate let isUser: Bool
        fileprivate let digest: [UInt8]
        fileprivate let address: HTTPClientAddress
        fileprivate let refusal: HTTPResponse
    }

    /// The unit for which wrong passwords are counted: an address and one of 16 groups of users. So guesses at other
    /// users seldom count against a user, and a refusal reveals no user names.
    private struct Guesser: Hashable, Sendable {
        let address: HTTPClientAddress
        let group: UInt8
    }

    private let access: WebConfigurationFile
    private let connections: HTTPConnections
    private let hosts: HostNames
    private let external: HTTPOrigin?
    private let rates = RequestRates<HTTPClientAddress>()
    /// Rates of authenticated clients. Strangers at the same address do not consume them.
    private let knownRates = RequestRates<HTTPClientAddress>()
    private let guesses = RequestRates<Guesser>()
    private let memory = VerifiedPasswords()
    private let hashQueue: PasswordHashQueue

    /// The passwords of one guesser that are hashed: this many at once, then one in six seconds.
    private static let guessBurst = 10.0
    private static let guessesPerSecond = 1.0 / 6

    /// - Parameter external: The origin at which a proxy shows the server to browsers; nil without a proxy.
    /// - Throws: the system's refusal of a thread for hashing.
    init(
        access: WebConfigurationFile, connections: HTTPConnections, hosts: HostNames, external: HTTPOrigin?
    ) throws(SystemRefusal) {
        hashQueue = try PasswordHashQueue()
        self.access = access
        self.connections = connections
        self.hosts = hosts
        self.external = external
    }

    /// Answers waiting requests, since no connection may be suspended when the server stops.
    func close() { hashQueue.close() }

    /// The most listeners of a stream at one time. Streams leave half of the connections to others.
    var streamLimit: Int {
        let limits = access.current.configuration.limits
        return min(limits.eventStreams, max(1, limits.connections / 2))
    }

    /// Restarts the deadline of a stream whose client has taken the events that were ready.
    func noteProgress(_ client: Int32) { connections.noteProgress(client, now: SnapshotExchange.now()) }

    /// Returns the verdict on a request, and counts the request against its client's rate.
    ///
    /// - Parameters:
    ///   - client: The connection's descriptor.
    ///   - headerBytes: The size of the request's line and headers.
    ///   - changesState: Whether the path has an effect.
    func judge(_ head: HTTPRequestHead, client: Int32, headerBytes: Int, changesState: Bool) -> Verdict {
        let loaded = access.current
        let address = connections.address(of: client)
        let isTooLarge = headerBytes > loaded.configuration.limits.headerBytes
        let asker: Verdict = isTooLarge ? .refused(.headersTooLarge) : self.asker(head, loaded, address)
        var isKnown = false
        if case .admitted = asker { isKnown = loaded.configuration.needsCredentials(for: head.path) }
        guard mayAsk(address, client, isKnown: isKnown, loaded.configuration.limits) else {
            return .refused(.tooMany("too many requests"))
        }
        if isTooLarge { return asker }
        if let refusal = refusal(head, loaded, changesState: changesState) { return .refused(refusal) }
        return asker
    }

    /// Takes a token. Returns false if there is none. The last quarter of an address' tokens is withheld from
    /// connections that send many requests: the more they send, the more is withheld. So a new connection is served
    /// among hundreds of such ones.
    private func mayAsk(_ address: HTTPClientAddress, _ client: Int32, isKnown: Bool, _ limits: WebLimits) -> Bool {
        let now = SnapshotExchange.now()
        let used = 1 - connections.takeRequest(client, now: now)
        let reserve = (limits.burst / 4 * used).rounded(.down)
        return (isKnown ? knownRates : rates).take(
            address, perSecond: limits.requestsPerSecond, burst: limits.burst, reserve: reserve, now: now)
    }

    private func refusal(_ head: HTTPRequestHead, _ loaded: WebConfigurationFile.Loaded, changesState: Bool)
        -> HTTPResponse?
    {
        if let defect = head.defect { return .text(defect, status: 400) }
        if let authority = head.authority, !hosts.accept(authority, also: loaded.allowedHosts) {
            return .misdirected(authority.host)
        }
        return head.isCrossSite(changesState: changesState, external: external) ? .crossSite : nil
    }

    // MARK: Who asks

    private func asker(_ head: HTTPRequestHead, _ loaded: WebConfigurationFile.Loaded, _ address: HTTPClientAddress)
        -> Verdict
    {
        guard loaded.configuration.needsCredentials(for: head.path) else { return .admitted }
        switch HTTPCredentials(head.authorization) {
        case .none, .malformed: return .refused(.unauthorized(loaded))
        case .bearer(let token): return isToken(token, loaded) ? .admitted : .refused(.unauthorized(loaded))
        case .basic(let user, let password): return asker(user, password, loaded, address)
        }
    }

    private func isToken(_ token: String, _ loaded: WebConfigurationFile.Loaded) -> Bool {
        let digest = access.key.digest(token)
        return loaded.tokens.reduce(false) { Secrets.areEqual($1, digest) || $0 }
    }

    private func asker(
        _ user: String, _ password: String, _ loaded: WebConfigurationFile.Loaded, _ address: HTTPClientAddress
    ) -> Verdict {
        let users = loaded.configuration.users
        guard let hash = users[user] ?? stand(inFor: user, users) else { return .refused(.unauthorized(loaded)) }
        let digest = access.key.digest("\(user)\u{0}\(password)\u{0}\(hash)")
        switch memory.isRight(digest, of: user) {
        case true?: return .admitted
        case false?: return .refused(.unauthorized(loaded))
        case nil:
            return .asked(
                PasswordQuestion(
                    user: user, password: password, hash: hash, isUser: users[user] != nil, digest: digest,
                    address: address, refusal: .unauthorized(loaded)))
        }
    }

    /// Returns a hash with which the password of an unknown user is compared. Unknown users cost one hash too, and
    /// always the same one, so that timing reveals nothing even if the hashes differ in cost.
    private func stand(inFor user: String, _ users: [String: String]) -> String? {
        guard !users.isEmpty else { return nil }
        let number = access.key.digest("stand-in \(user)").prefix(4).reduce(0) { $0 << 8 | Int($1) }
        return users.sorted { $0.key < $1.key }[number % users.count].value
    }

    /// Queues a password for hashing.
    ///
    /// - Parameter answer: Called once, with nil if the password is right; on another thread, or before this returns.
    func ask(_ question: PasswordQuestion, answer: @escaping @Sendable (HTTPResponse?) -> Void) {
        let guesser = Guesser(
            address: question.address, group: access.key.digest("group \(question.user)")[0] & 15)
        // The guess is counted before the hashing, so that parallel guesses cost as much as sequential ones.
        let mayGuess = guesses.take(
            guesser, perSecond: Self.guessesPerSecond, burst: Self.guessBurst, now: SnapshotExchange.now())
        guard mayGuess else { return answer(.tooMany("too many wrong passwords")) }
        hashQueue.ask(question.address) {
            Secrets.isPassword(question.password, of: question.hash) && question.isUser
        } answer: { [memory, guesses] outcome in
            switch outcome {
            case .right:
                memory.noteRight(question.digest, of: question.user)
                guesses.giveBack(guesser)
                answer(nil)
            case .wrong:
                memory.noteWrong(question.digest)
                answer(question.refusal)
            case .crowded:
                guesses.giveBack(guesser)
                answer(.tooMany("too many passwords wait to be checked"))
            case .closed: answer(.text("the collector is shutting down", status: 503))
            }
        }
    }
}

extension HTTPResponse {
    fileprivate static var headersTooLarge: HTTPResponse {
        text("the request's headers are larger than limits.header_bytes of --web.config.file allows", status: 431)
    }

    fileprivate static func tooMany(_ what: String) -> HTTPResponse {
        var response = text("\(what) from this address; try again later", status: 429)
        response.headers = [("Retry-After", "1")]
        return response
    }

    fileprivate static func misdirected(_ host: String) -> HTTPResponse {
        text(
            """
            This server does not answer to the host name \(host): a page of that name could make a browser read it.
            If the name is this server's, start the collector with --web.allowed-host \(host), or add it to allowed_hosts in \
            --web.config.file. If it is a proxy's, give the proxy's address as --web.external-url.
            """, status: 421)
    }

    fileprivate static var crossSite: HTTPResponse {
        text(
            """
            A web page of another site sent this request, which is not allowed.
            Open the address itself instead. Behind a proxy, start the collector with --web.external-url, or have the \
            proxy pass on the Host header as the browser sends it, with its port.
            """, status: 403)
    }

    /// Lists the ways in which clients can authenticate.
    fileprivate static func unauthorized(_ loaded: WebConfigurationFile.Loaded) -> HTTPResponse {
        var response = text("this path requires a user and a password, or a token", status: 401)
        if !loaded.configuration.users.isEmpty {
            response.headers.append(("WWW-Authenticate", "Basic realm=\"ringside\", charset=\"UTF-8\""))
        }
        if !loaded.tokens.isEmpty { response.headers.append(("WWW-Authenticate", "Bearer realm=\"ringside\"")) }
        return response
    }
}
