import CMicroHTTPD
import Glibc
import Synchronization

/// The collector's HTTP server: libmicrohttpd on one thread, and one more that wakes for requests without an answer.
///
/// Serves from `init` on until `stop()` or the last reference is gone. May be used from any thread. Its two threads have the
/// signal mask of the thread that calls `init`: block there what is to be handled elsewhere.
package final class HTTPServer: Sendable {
    /// Bounds that one client, or many, cannot pass.
    package struct Limits: Sendable {
        /// Connections at one time; the next one waits in the kernel's queue.
        package var connections: UInt32 = 128
        /// Silence after which a connection is closed.
        package var silenceSeconds: UInt32 = 30

        package init() {}
    }

    /// The port that is listened on, also where port 0 was asked for.
    package let port: UInt16
    private let dispatcher: HTTPDispatcher
    private let exchange: SnapshotExchange
    private let running: Mutex<Running?>

    /// `@unchecked Sendable`: both are handles that any thread may use; the mutex lets one thread alone take them to stop.
    private struct Running: @unchecked Sendable {
        let daemon: OpaquePointer
        let expiry: pthread_t
    }

    /// Listens and serves.
    ///
    /// - Parameters:
    ///   - host: A name or an address; "" for all addresses of the machine.
    ///   - port: 0 for any free port.
    ///   - routes: All paths that answer; every other one is answered 404 with a list of these.
    ///   - exchange: Where routes that show a snapshot ask for one; closed when the server stops.
    package init(
        host: String = "127.0.0.1", port: UInt16, routes: [HTTPRoute], exchange: SnapshotExchange,
        limits: Limits = Limits()
    ) throws(HTTPServerError) {
        let listener = try HTTPListener(host: host, port: port)
        self.port = listener.port
        self.exchange = exchange
        dispatcher = HTTPDispatcher(routes: routes, exchange: exchange)
        let context = Unmanaged.passUnretained(dispatcher).toOpaque()
        let daemon = ringside_http_start(
            listener.descriptor, limits.connections, limits.silenceSeconds, handleRequest, forgetRequest, context)
        guard let daemon else {
            throw HTTPServerError("cannot start the HTTP server: \(HTTPServerError.systemMessage())")
        }
        guard let expiry = startExpiry(of: exchange) else {
            MHD_stop_daemon(daemon)
            throw HTTPServerError("cannot start a thread for the HTTP server: \(HTTPServerError.systemMessage(EAGAIN))")
        }
        running = Mutex(Running(daemon: daemon, expiry: expiry))
    }

    deinit {
        stop()
    }

    /// Answers what waits with 503, closes all connections and returns when both threads have ended. The exchange is
    /// closed with it. Calling it again does nothing.
    package func stop() {
        let taken = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let taken else { return }
        // libmicrohttpd aborts the process where a connection is still suspended: none may be from here on.
        exchange.closeForGood()
        dispatcher.closeDesks()
        MHD_stop_daemon(taken.daemon)
        pthread_join(taken.expiry, nil)
    }
}

/// Answers requests whose time is up, until the exchange is closed; nil where no thread can be had.
private func startExpiry(of exchange: SnapshotExchange) -> pthread_t? {
    let context = Unmanaged.passRetained(exchange)
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, expireUntilClosed, context.toOpaque())
    guard code == 0 else {
        context.release()
        return nil
    }
    return thread
}

private func expireUntilClosed(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let exchange = Unmanaged<SnapshotExchange>.fromOpaque(context!).takeRetainedValue()
    while exchange.expireOnce() {}
    return nil
}

/// The access handler (`MHD_AccessHandlerCallback`); `slot` holds the retained request between its calls.
private func handleRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, path: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, upload: UnsafePointer<CChar>?,
    uploadSize: UnsafeMutablePointer<Int>?, slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let path, let method, let uploadSize, let slot else { return .NO }
    let dispatcher = Unmanaged<HTTPDispatcher>.fromOpaque(context).takeUnretainedValue()
    let request = slot.pointee.map { Unmanaged<HTTPRequest>.fromOpaque($0).takeUnretainedValue() }
    return dispatcher.handle(
        connection, path: String(cString: path), method: String(cString: method), uploadSize: &uploadSize.pointee,
        request: request
    ) { slot.pointee = Unmanaged.passRetained($0).toOpaque() }
}

/// The completion handler (`MHD_RequestCompletedCallback`): called once for each request, answered or broken off.
private func forgetRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_RequestTerminationCode
) {
    guard let slot, let request = slot.pointee else { return }
    Unmanaged<HTTPRequest>.fromOpaque(request).release()
    slot.pointee = nil
}
