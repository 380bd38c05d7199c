internal import CCurl
internal import Configuration
internal import Glibc
internal import Platform

/// Sends requests to one destination, one at a time, over persistent connections.
///
/// It verifies certificates, follows no redirects, and ignores proxy settings of the environment. Thread rule: one
/// thread at a time.
final class PushClient {
    private let destination: Destination
    private let userAgent: String
    private let handle: UnsafeMutableRawPointer
    /// curl_global_init(3) must be called once, before any other call.
    private static let globalCode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    private static let bodyLimitBytes = 64 << 10

    /// - Throws: if libcurl has no memory.
    init(_ destination: Destination, userAgent: String) throws(SystemRefusal) {
        guard Self.globalCode == CURLE_OK else {
            throw SystemRefusal(
                "start of libcurl", reason: String(cString: curl_easy_strerror(Self.globalCode)), advice: nil)
        }
        guard let handle = curl_easy_init() else {
            throw SystemRefusal(
                "libcurl handle", reason: "out of memory", advice: "free memory, or raise the limit on it")
        }
        self.handle = handle
        self.destination = destination
        self.userAgent = userAgent
    }

    deinit { curl_easy_cleanup(handle) }

    /// Posts a body and waits for the answer, within the destination's time limits.
    ///
    /// - Parameter isCancelled: Called about once a second during the request.
    func post(
        _ entry: DeliveryEntry, to url: String, isCancelled: @escaping () -> Bool
    ) throws(PushFailure) -> PushAnswer {
        let credentials = try Credentials(destination.authorization)
        let exchange = Exchange(limitBytes: Self.bodyLimitBytes, isCancelled: isCancelled)
        let lines = headerLines(entry) + credentials.headerLines
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        defer { curl_slist_free_all(list) }
        let code = entry.body.withUnsafeBytes { body in
            var code = configure(url, body: body, headers: list, credentials, exchange)
            if code == CURLE_OK { code = withExtendedLifetime(exchange) { curl_easy_perform(handle) } }
            return code
        }
        // A body longer than the limit ends the transfer, after the status has arrived.
        guard code == CURLE_OK || code == CURLE_WRITE_ERROR && exchange.isFull else { throw failure(code) }
        return PushAnswer(
            status: Int(ringside_curl_response_code(handle)), retryAfterSeconds: ringside_curl_retry_after(handle),
            body: exchange.bytes)
    }

    private func headerLines(_ entry: DeliveryEntry) -> [String] {
        // Without `Expect:`, libcurl would wait for "100 Continue" before a long body.
        ["Content-Type: \(entry.contentType)", "Expect:"] + entry.headers.map { "\($0.name): \($0.value)" }
            + destination.headers.map { "\($0.name): \($0.value)" }
    }

    private func configure(
        _ url: String, body: UnsafeRawBufferPointer, headers: UnsafeMutablePointer<curl_slist>?,
        _ credentials: Credentials, _ exchange: Exchange
    ) -> CURLcode {
        curl_easy_reset(handle)
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        var settings = [
            ringside_curl_set_string(handle, CURLOPT_URL, url),
            ringside_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
            ringside_curl_set_string(handle, CURLOPT_NOPROXY, "*"),
            ringside_curl_set_string(handle, CURLOPT_USERAGENT, userAgent),
            ringside_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, destination.connectTimeoutMilliseconds),
            ringside_curl_set_long(handle, CURLOPT_TIMEOUT_MS, destination.requestTimeoutMilliseconds),
            ringside_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            ringside_curl_set_long(handle, CURLOPT_POST, 1),
            ringside_curl_set_long(handle, CURLOPT_POSTFIELDSIZE, body.count),
            ringside_curl_set_pointer(handle, CURLOPT_POSTFIELDS, body.baseAddress),
            ringside_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headers),
            ringside_curl_set_sink(handle, collect, context),
            ringside_curl_set_watch(handle, watch, context),
        ]
        if let file = destination.certificateAuthorityFile {
            settings.append(ringside_curl_set_string(handle, CURLOPT_CAINFO, file))
        }
        if let (user, password) = credentials.basic {
            settings.append(ringside_curl_set_string(handle, CURLOPT_USERNAME, user))
            settings.append(ringside_curl_set_string(handle, CURLOPT_PASSWORD, password))
        }
        return settings.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    private func failure(_ code: CURLcode) -> PushFailure {
        let text = String(cString: curl_easy_strerror(code))
        switch code {
        case CURLE_ABORTED_BY_CALLBACK: return .cancelled
        case CURLE_OPERATION_TIMEDOUT: return .timeout(text)
        default: return .transport(text)
        }
    }
}

/// A destination's authorization, with its secret read from the file.
private struct Credentials {
    var headerLines: [String] = []
    var basic: (user: String, password: String)?

    init(_ authorization: Authorization) throws(PushFailure) {
        switch authorization {
        case .none: break
        case .basic(let user, let password): basic = (user, try password.read())
        case .bearer(let token): headerLines = ["Authorization: Bearer \(try token.read())"]
        case .token(let token): headerLines = ["Authorization: Token \(try token.read())"]
        }
    }
}

extension Secret {
    fileprivate func read() throws(PushFailure) -> String {
        switch self {
        case .text(let text): return text
        case .file(let path):
            guard let bytes = SmallFile.contents(of: path, byteLimit: 16 << 10) else {
                throw .secret("cannot read \(path): \(SmallFile.failure)")
            }
            guard !bytes.isEmpty else { throw .secret("cannot read \(path): it has no secret in it") }
            let text = String(decoding: bytes, as: UTF8.self)
            let word = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
            guard !word.contains(where: \.isNewline) else { throw .secret("cannot use \(path): it has several lines") }
            return String(word)
        }
    }
}

/// The target of a transfer's callbacks. Used by the thread that performs the transfer.
private final class Exchange {
    var bytes: [UInt8] = []
    var isFull = false
    let limitBytes: Int
    let isCancelled: () -> Bool

    init(limitBytes: Int, isCancelled: @escaping () -> Bool) {
        self.limitBytes = limitBytes
        self.isCancelled = isCancelled
    }
}

private func collect(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    let length = size * count
    let taken = min(length, exchange.limitBytes - exchange.bytes.count)
    exchange.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: taken))
    exchange.isFull = taken < length
    return taken
}

private func watch(
    context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().isCancelled() ? 1 : 0
}
