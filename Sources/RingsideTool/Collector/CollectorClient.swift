internal import Arguments
internal import CCurl
internal import FoundationEssentials

/// Why the collector's view could not be had.
struct CollectorError: Error, CustomStringConvertible {
    let description: String
}

/// Asks a collector for its latest snapshot. One request, a second at most.
struct CollectorClient {
    static let defaultAddress = "http://127.0.0.1:8000"
    private static let timeoutMilliseconds = 1000
    private static let longTimeoutMilliseconds = 60_000
    /// A snapshot of hundreds of bots is some megabytes; what is longer is no snapshot.
    private static let bodyLimitBytes = 64 << 20
    /// curl_global_init(3) wants to be called once, before any other call.
    private static let globalCode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    let address: String

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

    private func get(
        _ path: String, timeoutMilliseconds: Int = Self.timeoutMilliseconds, what: String = "snapshot"
    ) throws(CollectorError) -> [UInt8] {
        guard Self.globalCode == CURLE_OK, let handle = curl_easy_init() else {
            throw CollectorError(description: "libcurl could not be started")
        }
        defer { curl_easy_cleanup(handle) }
        let body = Body(limitBytes: Self.bodyLimitBytes)
        var code = configure(
            handle, url: trimmedAddress + path, body: body, timeoutMilliseconds: timeoutMilliseconds)
        if code == CURLE_OK { code = withExtendedLifetime(body) { curl_easy_perform(handle) } }
        let status = ringside_curl_response_code(handle)
        guard code == CURLE_OK, status == 200 else {
            // A refusal is one line of text that says why.
            let words = String(decoding: body.bytes.prefix(300).prefix { $0 != 10 }, as: UTF8.self)
            let said = words.isEmpty || what == "snapshot" ? "" : ": \(words)"
            let answer =
                code == CURLE_OK
                ? "status \(status), expected 200\(said)" : String(cString: curl_easy_strerror(code))
            throw CollectorError(description: "no \(what) from \(trimmedAddress)\(path): \(answer)")
        }
        return body.bytes
    }

    private var trimmedAddress: String { String(address.reversed().drop { $0 == "/" }.reversed()) }

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
