internal import CMicroHTTPD
internal import Drain
internal import Glibc

/// What libmicrohttpd calls, all on its one thread.
final class HTTPCallbacks: Sendable {
    let dispatcher: HTTPDispatcher
    let connections: HTTPConnections
    let access: WebAccess

    init(dispatcher: HTTPDispatcher, connections: HTTPConnections, access: WebAccess) {
        self.dispatcher = dispatcher
        self.connections = connections
        self.access = access
    }

    /// Starts the server on a listening socket; nil with errno. It calls until it is stopped, and keeps no reference.
    func start(listeningSocket: Int32, headerBytes: Int, tls: TLSCredentials?) -> OpaquePointer? {
        // Headers are kept as they come and as they are understood, and the answer's too.
        var start = ringside_http_start_options(
            listening_socket: listeningSocket, connection_limit: 32768, memory_limit: headerBytes * 2 + 8192,
            certificate: nil, key: nil, accept: acceptClient, notify: noteConnection, handler: handleRequest,
            completed: forgetRequest, context: Unmanaged.passUnretained(self).toOpaque())
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
            connection, descriptor: ringside_http_descriptor(connection),
            address: HTTPClientAddress(ringside_http_client(connection)), now: SnapshotExchange.now())
    }
}

private func callbacks(_ context: UnsafeMutableRawPointer) -> HTTPCallbacks {
    Unmanaged<HTTPCallbacks>.fromOpaque(context).takeUnretainedValue()
}

/// `MHD_AcceptPolicyCallback`: whether a connection is taken; one that is not is closed at once.
private func acceptClient(
    context: UnsafeMutableRawPointer?, address: UnsafePointer<sockaddr>?, length: socklen_t
) -> MHD_Result {
    guard let context else { return .NO }
    let callbacks = callbacks(context)
    callbacks.connections.limits = callbacks.access.current.configuration.limits
    return callbacks.connections.admits(HTTPClientAddress(address)) ? .YES : .NO
}

/// `MHD_NotifyConnectionCallback`: called as a connection begins, and before its socket is closed.
private func noteConnection(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_ConnectionNotificationCode
) {
    guard let context, let connection else { return }
    if code == .CONNECTION_NOTIFY_STARTED {
        callbacks(context).begin(connection)
    } else {
        callbacks(context).connections.end(connection)
    }
}

/// `MHD_AccessHandlerCallback`; `slot` holds the retained request between its calls.
private func handleRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, path: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, upload: UnsafePointer<CChar>?,
    uploadSize: UnsafeMutablePointer<Int>?, slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let path, let method, let uploadSize, let slot else { return .NO }
    let callbacks = callbacks(context)
    let request = slot.pointee.map { Unmanaged<HTTPRequest>.fromOpaque($0).takeUnretainedValue() }
    let now = SnapshotExchange.now()
    if request == nil {
        callbacks.connections.noteHeaders(connection, now: now)
    } else if uploadSize.pointee == 0 {
        callbacks.connections.noteRequest(connection, now: now)
    }
    return callbacks.dispatcher.handle(
        connection, path: String(cString: path), method: String(cString: method), uploadSize: &uploadSize.pointee,
        request: request
    ) { slot.pointee = Unmanaged.passRetained($0).toOpaque() }
}

/// `MHD_RequestCompletedCallback`: called once for each request, answered or broken off.
private func forgetRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_RequestTerminationCode
) {
    if let context, let connection {
        callbacks(context).connections.noteAnswer(connection, now: SnapshotExchange.now())
    }
    guard let slot, let request = slot.pointee else { return }
    Unmanaged<HTTPRequest>.fromOpaque(request).release()
    slot.pointee = nil
}
