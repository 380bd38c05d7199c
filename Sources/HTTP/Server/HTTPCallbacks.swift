internal import CMicroHTTPD
internal import Drain
internal import Glibc

/// The callbacks of libmicrohttpd. All run on the server's thread.
final class HTTPCallbacks: Sendable {
    let dispatcher: HTTPDispatcher
    let connections: HTTPConnections
    let access: WebConfigurationFile

    init(dispatcher: HTTPDispatcher, connections: HTTPConnections, access: WebConfigurationFile) {
        self.dispatcher = dispatcher
        self.connections = connections
        self.access = access
    }

    /// Starts libmicrohttpd. Returns nil, with errno, on failure. It calls back until it is stopped, and holds no
    /// reference to this object.
    func start(headerBytes: Int, tls: TLSCredentials?) -> OpaquePointer? {
        // The buffer holds the raw headers, the parsed ones and the answer's. libmicrohttpd's own limit of connections
        // is off, since they are counted before they are handed over.
        var start = ringside_http_start_options(
            connection_limit: 32768, memory_limit: headerBytes * 2 + 8192, certificate: nil, key: nil,
            notify: noteConnection, handler: handleRequest, completed: forgetRequest,
            context: Unmanaged.passUnretained(self).toOpaque())
        guard let tls else { return ringside_http_start(&start) }
        return (tls.certificate + [0]).withUnsafeBytes { certificate in
            (tls.key + [0]).withUnsafeBytes { key in
                start.certificate = certificate.baseAddress?.assumingMemoryBound(to: CChar.self)
                start.key = key.baseAddress?.assumingMemoryBound(to: CChar.self)
                return ringside_http_start(&start)
            }
        }
    }

    fileprivate func begin(_ connection: OpaquePointer) {
        if let session = ringside_http_tls_session(connection) { access.current.tls?.use(in: session) }
        connections.begin(
            ringside_http_descriptor(connection), HTTPClientAddress(ringside_http_client(connection)),
            now: SnapshotExchange.now())
    }

    /// Handles complete headers. A request that is refused although its body is still to come is answered at once, and
    /// its connection is closed without reading the body.
    fileprivate func begin(_ request: HTTPRequest, _ connection: OpaquePointer) -> MHD_Result {
        let client = ringside_http_descriptor(connection)
        connections.noteHeaders(client, now: SnapshotExchange.now())
        guard let refusal = request.refusalOfBody else { return .YES }
        return queue(HTTPReply(refusal), on: connection)
    }

    fileprivate func finish(_ request: HTTPRequest, _ connection: OpaquePointer) -> MHD_Result {
        let client = ringside_http_descriptor(connection)
        connections.noteRequest(client, now: SnapshotExchange.now())
        guard let reply = dispatcher.answer(connection, request) else { return .YES }
        return queue(reply, on: connection)
    }

    private func queue(_ reply: HTTPReply, on connection: OpaquePointer) -> MHD_Result {
        // This comes first. When the call returns, the answer may already be read and the request over.
        let (client, now) = (ringside_http_descriptor(connection), SnapshotExchange.now())
        if reply.isEndless {
            connections.noteStream(client, now: now)
        } else {
            connections.noteAnswer(client, now: now)
        }
        return reply.queue(on: connection)
    }
}

private func callbacks(_ context: UnsafeMutableRawPointer) -> HTTPCallbacks {
    Unmanaged<HTTPCallbacks>.fromOpaque(context).takeUnretainedValue()
}

/// Records the start or the end of a connection. Called at its start, and before its socket is closed
/// (`MHD_NotifyConnectionCallback`).
private func noteConnection(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_ConnectionNotificationCode
) {
    guard let context, let connection else { return }
    if code == .CONNECTION_NOTIFY_STARTED {
        // SuspendedConnection needs the descriptor to resume the connection.
        slot?.pointee = UnsafeMutableRawPointer(bitPattern: Int(callbacks(context).connections.wakeDescriptor))
        callbacks(context).begin(connection)
    } else {
        callbacks(context).connections.end(ringside_http_descriptor(connection))
    }
}

/// Handles a request, in several calls (`MHD_AccessHandlerCallback`). `slot` holds the retained request between them.
private func handleRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, path: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, upload: UnsafePointer<CChar>?,
    uploadSize: UnsafeMutablePointer<Int>?, slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let path, let method, let uploadSize, let slot else { return .NO }
    let callbacks = callbacks(context)
    guard let known = slot.pointee else {
        let head = HTTPRequestHead(
            method: String(cString: method), target: String(cString: path),
            version: version.map { String(cString: $0) } ?? "", headers: HTTPHeaders(of: connection))
        let request = callbacks.dispatcher.receive(head, connection)
        slot.pointee = Unmanaged.passRetained(request).toOpaque()
        return callbacks.begin(request, connection)
    }
    guard uploadSize.pointee == 0 else {
        // Discards the body. Its length was checked before.
        uploadSize.pointee = 0
        return .YES
    }
    return callbacks.finish(Unmanaged<HTTPRequest>.fromOpaque(known).takeUnretainedValue(), connection)
}

/// Releases a request. Called once for each, answered or aborted (`MHD_RequestCompletedCallback`).
private func forgetRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_RequestTerminationCode
) {
    if let context, let connection {
        callbacks(context).connections.noteEnd(
            ringside_http_descriptor(connection), now: SnapshotExchange.now())
    }
    guard let slot, let request = slot.pointee else { return }
    Unmanaged<HTTPRequest>.fromOpaque(request).release()
    slot.pointee = nil
}
