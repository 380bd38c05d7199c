internal import Arguments
internal import CCurl
internal import FoundationEssentials

/// Why the collector's view could not be had.
struct CollectorError: Error, CustomStringConvertible {
    let description: String
}

/// Asks a collector for its latest snapshot. One request, a second at most.
struct CollectorClient {
    private static let timeoutMilliseconds = 1000
    private static let longTimeoutMilliseconds = 60_000
    /// A snapshot of hundreds of bots is some megabytes; what is longer is no snapshot.
    private static let bodyLimitBytes = 64 << 20
    /// curl_global_init(3) wants to be called once, before any other call.
    private static let globalCode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    let access: CollectorAccess

    /// As it is shown.
    var address: String { access.address }

    /// Fetches and decodes `/latest`.
    func latest() throws(CollectorError) -> CollectorView {
        let body = try get("/latest")
        do {
            return try JSONDecoder().decode(CollectorView.self, from: Data(body))
        } catch {
            throw CollectorError(description: "\(address)/latest did not answer with a snapshot; is it a ringsided?")
        }
    }

    /// Fetches any path, waiting longer than for a snapshot.
    ///
    /// - Throws: with the collector's own words where it refuses.
    func answer(_ path: String) throws(CollectorError) -> [UInt8] {
        try get(path, timeoutMilliseconds: Self.longTimeoutMilliseconds, what: "answer")
    }

    /// Has the collector do something, and returns what it says of it.
    ///
    /// - Throws: with the collector's own words where it refuses.
    func post(_ path: String) throws(CollectorError) -> [UInt8] {
        try get(path, timeoutMilliseconds: Self.longTimeoutMilliseconds, what: "answer", isPost: true)
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
            // A refusal is one line of text that says why.
            let words = String(decoding: body.bytes.prefix(300).prefix { $0 != 10 }, as: UTF8.self)
            let said = words.isEmpty || what == "snapshot" ? "" : ": \(words)"
            let answer =
                code == CURLE_OK
                ? "status \(status), expected 200\(said)" : String(cString: curl_easy_strerror(code))
            throw CollectorError(description: "no \(what) from \(address)\(path): \(answer)\(advice(status))")
        }
        return body.bytes
    }

    private func advice(_ status: Int) -> String {
        status == 401 ? "; name a user and a password, or a token, in a file for --collector-config" : ""
    }

    /// Says as whom it is asked; a header where that is a token. Where nothing says it, ~/.netrc may.
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
            // A collector is on this machine or near it: a proxy for the world is not on the way.
            ringside_curl_set_string(handle, CURLOPT_NOPROXY, "*"),
            ringside_curl_set_string(handle, CURLOPT_USERAGENT, "ringside/\(Release.version)"),
            ringside_curl_set_long(handle, CURLOPT_TIMEOUT_MS, timeoutMilliseconds),
            ringside_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            ringside_curl_set_sink(handle, collect, Unmanaged.passUnretained(body).toOpaque()),
        ]
        return settings.first { $0 != CURLE_OK } ?? CURLE_OK
    }
}

/// Where the answer is gathered. Used by the one thread that performs the request.
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
