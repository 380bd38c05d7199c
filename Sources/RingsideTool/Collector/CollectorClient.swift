internal import Arguments
internal import CCurl
internal import FoundationEssentials

/// Why a request to the collector failed.
struct CollectorError: Error, CustomStringConvertible {
    /// The remedy if no collector answers.
    static let startOne = "start ringsided, or name its address by --collector"

    /// The problem, without the remedy.
    let problem: String
    private let remedy: String
    /// Whether the collector answered that the object does not exist (status 404).
    let isAboutNothing: Bool
    /// Whether nothing answered, as if no collector were there.
    let isUnanswered: Bool

    var description: String { remedy.isEmpty ? problem : "\(problem); \(remedy)" }

    /// - Parameter remedy: What to do; empty if that is not known.
    init(
        description problem: String, remedy: String = "", isAboutNothing: Bool = false, isUnanswered: Bool = false
    ) {
        (self.problem, self.remedy) = (problem, remedy)
        (self.isAboutNothing, self.isUnanswered) = (isAboutNothing, isUnanswered)
    }
}

/// Sends requests to a collector. A snapshot takes a second at most, any other answer a minute.
struct CollectorClient {
    private static let timeoutMilliseconds = 1000
    private static let longTimeoutMilliseconds = 60_000
    /// A snapshot of hundreds of bots has some megabytes. A longer answer is refused.
    private static let bodyLimitBytes = 64 << 20
    /// curl_global_init(3) must be called once, before any other call.
    private static let globalCode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    let access: CollectorAccess

    /// The address as shown.
    var address: String { access.address }

    /// Fetches and decodes `/latest`.
    ///
    /// - Parameter isPatient: Whether to wait as long as for any other answer.
    func latest(isPatient: Bool = false) throws(CollectorError) -> CollectorView {
        let body = try isPatient ? answer("/latest") : get("/latest")
        return try CollectorView(json: body, source: "\(address)/latest")
    }

    /// Fetches the `reasons` of `/health`, which are the problems of the collector. They are empty if it is well.
    func problems() throws(CollectorError) -> [String] {
        let body = try get("/health", what: "health")
        guard let health = try? JSONDecoder().decode(CollectorHealth.self, from: Data(body)) else {
            throw CollectorError(description: "\(address)/health is not what a ringsided says of itself")
        }
        return health.reasons ?? []
    }

    /// Fetches any path, with a longer time limit than for a snapshot.
    ///
    /// - Throws: ``CollectorError``, with the collector's own text if it refuses.
    func answer(_ path: String) throws(CollectorError) -> [UInt8] {
        try get(path, timeoutMilliseconds: Self.longTimeoutMilliseconds, what: "answer")
    }

    /// Sends a request that changes something in the collector, and returns its answer.
    ///
    /// - Throws: ``CollectorError``, with the collector's own text if it refuses.
    func post(_ path: String) throws(CollectorError) -> [UInt8] {
        try get(path, timeoutMilliseconds: Self.longTimeoutMilliseconds, what: "answer", isPost: true)
    }

    /// Returns the arguments of a URL.
    static func query(_ arguments: [(name: String, value: String)]) -> String {
        arguments.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
    }

    /// Returns the text in percent-encoding (RFC 3986): every character that is not unreserved is escaped.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                byte < 0x80
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "-._~".unicodeScalars.contains(scalar))
            if isPlain { return String(scalar) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }

    private func get(
        _ path: String, timeoutMilliseconds: Int = Self.timeoutMilliseconds, what: String = "snapshot",
        isPost: Bool = false
    ) throws(CollectorError) -> [UInt8] {
        guard Self.globalCode == CURLE_OK, let handle = curl_easy_init() else {
            throw CollectorError(description: "libcurl could not be started")
        }
        defer { curl_easy_cleanup(handle) }
        let body = Body(limitBytes: Self.bodyLimitBytes)
        let header: String?
        var code = configure(handle, url: access.url + path, body: body, timeoutMilliseconds: timeoutMilliseconds)
        do {
            header = try authorize(handle, &code)
        } catch {
            throw CollectorError(description: "no \(what) from \(address)\(path): \(error)")
        }
        let list = header.map { curl_slist_append(nil, $0) } ?? nil
        defer { curl_slist_free_all(list) }
        if code == CURLE_OK, list != nil { code = ringside_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list) }
        if code == CURLE_OK, isPost { code = ringside_curl_set_string(handle, CURLOPT_COPYPOSTFIELDS, "") }
        if code == CURLE_OK { code = withExtendedLifetime(body) { curl_easy_perform(handle) } }
        let status = ringside_curl_response_code(handle)
        guard code == CURLE_OK, status == 200 else {
            // A refusal is one line of text with its reason.
            let words = String(decoding: body.bytes.prefix(300).prefix { $0 != 10 }, as: UTF8.self)
            let said = words.isEmpty || what == "snapshot" ? "" : ": \(words)"
            let problem =
                code == CURLE_OK
                ? "\(address)\(path) answered with status \(status), expected 200\(said)"
                : "no \(what) from \(address)\(path): \(String(cString: curl_easy_strerror(code)))"
            throw CollectorError(
                description: problem, remedy: remedy(code, status),
                isAboutNothing: code == CURLE_OK && status == 404,
                isUnanswered: code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT)
        }
        return body.bytes
    }

    private func remedy(_ code: CURLcode, _ status: Int) -> String {
        if code == CURLE_COULDNT_CONNECT { return CollectorError.startOne }
        return status == 401 ? "name a user and a password, or a token, in a file for --collector-config" : ""
    }

    /// Sets the credentials, and returns a header if they are a token. Without credentials, libcurl looks into
    /// ~/.netrc.
    private func authorize(_ handle: UnsafeMutableRawPointer, _ code: inout CURLcode) throws -> String? {
        let (basic, header) = try access.credentials()
        var settings: [CURLcode] = []
        if let (user, password) = basic {
            settings.append(ringside_curl_set_string(handle, CURLOPT_USERNAME, user))
            settings.append(ringside_curl_set_string(handle, CURLOPT_PASSWORD, password))
        } else if header == nil {
            settings.append(ringside_curl_set_long(handle, CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue)))
        }
        if let file = access.certificateAuthorityFile {
            settings.append(ringside_curl_set_string(handle, CURLOPT_CAINFO, file))
        }
        if code == CURLE_OK { code = settings.first { $0 != CURLE_OK } ?? CURLE_OK }
        return header
    }

    private func configure(
        _ handle: UnsafeMutableRawPointer, url: String, body: Body, timeoutMilliseconds: Int
    ) -> CURLcode {
        let settings = [
            ringside_curl_set_string(handle, CURLOPT_URL, url),
            ringside_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
            // A collector is on this machine or near it, so no proxy is used.
            ringside_curl_set_string(handle, CURLOPT_NOPROXY, "*"),
            ringside_curl_set_string(handle, CURLOPT_USERAGENT, "ringside/\(Release.version)"),
            ringside_curl_set_long(handle, CURLOPT_TIMEOUT_MS, timeoutMilliseconds),
            ringside_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            ringside_curl_set_sink(handle, collect, Unmanaged.passUnretained(body).toOpaque()),
        ]
        return settings.first { $0 != CURLE_OK } ?? CURLE_OK
    }
}

/// The part of `/health` that is about the collector itself.
private struct CollectorHealth: Decodable {
    let reasons: [String]?
}

/// Collects the answer. Used by the one thread that performs the request.
private final class Body {
    var bytes: [UInt8] = []
    let limitBytes: Int

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }
}

private func collect(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let body = Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
    let length = size * count
    guard length <= body.limitBytes - body.bytes.count else { return 0 }
    body.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: length))
    return length
}
