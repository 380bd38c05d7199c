internal import CMicroHTTPD
internal import Glibc

/// An answer to a request.
struct PageResponse {
    var status: UInt32 = 200
    var mediaType = "text/plain"
    var policy: String?
    var body: [UInt8]

    static func text(_ text: String, status: UInt32 = 200) -> PageResponse {
        PageResponse(status: status, body: Array("\(text)\n".utf8))
    }
}

/// A server of one page for this machine, by libmicrohttpd. It has no thread: it works while `turn` runs, on the thread
/// that calls it.
final class PageServer {
    private static let connectionLimit: UInt32 = 64
    private static let memoryLimit = 32 << 10

    let port: UInt16
    private let listener: Int32
    private let answer: (PageRequest) -> PageResponse
    private var daemon: OpaquePointer?

    /// - Parameter answer: Called within `turn`.
    init(_ address: LoopbackAddress, answer: @escaping (PageRequest) -> PageResponse) throws(FileError) {
        (listener, port) = try address.listen()
        self.answer = answer
        var options = ringside_http_start_options(
            connection_limit: Self.connectionLimit, memory_limit: Self.memoryLimit, certificate: nil, key: nil,
            notify: nil, handler: handleRequest, completed: nil, context: Unmanaged.passUnretained(self).toOpaque())
        daemon = ringside_http_start(&options)
        guard daemon != nil else {
            close(listener)
            throw FileError(action: "serve", path: "\(address.host):\(port)", code: errno)
        }
    }

    deinit {
        if let daemon {
            MHD_stop_daemon(daemon)
            close(listener)
        }
    }

    /// Serves what has come, or waits for it.
    func turn(milliseconds: Int32) {
        guard let daemon else { return }
        var descriptors = [
            pollfd(fd: ringside_http_epoll_descriptor(daemon), events: Int16(POLLIN), revents: 0),
            pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        ]
        poll(&descriptors, nfds_t(descriptors.count), ringside_http_has_work(daemon) ? 0 : milliseconds)
        var (address, length) = (sockaddr_storage(), socklen_t(0))
        let descriptor = ringside_http_accept(listener, &address, &length)
        if descriptor >= 0 { _ = ringside_http_add(daemon, descriptor, &address, length) }
        MHD_run(daemon)
    }

    fileprivate func reply(to request: PageRequest, on connection: OpaquePointer) -> MHD_Result {
        let answer = answer(request)
        let block = malloc(max(answer.body.count, 1))
        answer.body.withUnsafeBytes { bytes in
            if let first = bytes.baseAddress { block?.copyMemory(from: first, byteCount: bytes.count) }
        }
        guard let block else { return .NO }
        guard
            let response = MHD_create_response_from_buffer_with_free_callback(answer.body.count, block, { free($0) })
        else {
            free(block)
            return .NO
        }
        defer { MHD_destroy_response(response) }
        MHD_add_response_header(response, "Content-Type", "\(answer.mediaType); charset=utf-8")
        if let policy = answer.policy { MHD_add_response_header(response, "Content-Security-Policy", policy) }
        for (name, value) in Self.headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(connection, answer.status, response)
    }

    /// A connection is closed after its answer, so that none that is idle takes the place of another.
    private static let headers = [
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Connection", "close"),
    ]
}

/// Handles a request, in several calls (`MHD_AccessHandlerCallback`). `slot` shows whether the first one was.
private func handleRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, path: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, upload: UnsafePointer<CChar>?,
    uploadSize: UnsafeMutablePointer<Int>?, slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let path, let method, let uploadSize, let slot else { return .NO }
    guard slot.pointee != nil else {
        slot.pointee = context
        return .YES
    }
    // A body is not needed.
    guard uploadSize.pointee == 0 else {
        uploadSize.pointee = 0
        return .YES
    }
    let headers = Values(of: connection, .HEADER_KIND)
    let arguments = Values(of: connection, .GET_ARGUMENT_KIND)
    let request = PageRequest(
        method: String(cString: method), path: String(cString: path), arguments: arguments.firstValues,
        hosts: headers["host"], origins: headers["origin"], fetchSites: headers["sec-fetch-site"])
    return Unmanaged<PageServer>.fromOpaque(context).takeUnretainedValue().reply(to: request, on: connection)
}

/// The headers or the arguments of a request, by name in lower case.
private final class Values {
    private var values: [String: [String]] = [:]

    init(of connection: OpaquePointer, _ kind: MHD_ValueKind) {
        _ = MHD_get_connection_values(
            connection, kind,
            { context, _, name, value in
                guard let context, let name else { return .YES }
                Unmanaged<Values>.fromOpaque(context).takeUnretainedValue()
                    .values[String(cString: name).lowercased(), default: []]
                    .append(value.map { String(cString: $0) } ?? "")
                return .YES
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    subscript(name: String) -> [String] { values[name] ?? [] }

    var firstValues: [String: String] { values.compactMapValues(\.first) }
}
