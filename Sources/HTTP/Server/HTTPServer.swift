import CMicroHTTPD
package import Drain
import Glibc
internal import Platform
import Synchronization

/// The collector's HTTP server: libmicrohttpd on one thread, and others that accept connections, wake for requests without
/// an answer, write answers and hash passwords.
///
/// Serves from `init` on until `stop()` or the last reference is gone. May be used from any thread. Its threads have the
/// signal mask of the thread that calls `init`: block there what is to be handled elsewhere.
package final class HTTPServer: Sendable {
    /// The port that is listened on, also where port 0 was asked for.
    package let port: UInt16
    /// Whether it can be reached from this machine alone.
    package let isLoopback: Bool
    private let callbacks: HTTPCallbacks
    private let exchange: SnapshotExchange
    private let renderer: RenderThread
    private let listener: HTTPListener
    private let running: Mutex<Running?>

    /// `@unchecked Sendable`: both are handles that any thread may use; the mutex lets one thread alone take them to stop.
    private struct Running: @unchecked Sendable {
        let daemon: OpaquePointer
        let expiry: NamedThread
        let acceptor: HTTPAcceptor
    }

    /// Listens and serves.
    ///
    /// - Parameters:
    ///   - host: A name or an address; "" for all addresses of the machine.
    ///   - port: 0 for any free port.
    ///   - routes: All paths that answer; every other one is answered 404 with a list of these.
    ///   - exchange: Where routes that show a snapshot ask for one; closed when the server stops.
    ///   - access: Who may ask, and how much; what it is changed to holds from then on.
    ///   - allowedHosts: Names by which it is reached, beside addresses and the machine's own.
    ///   - connectionBound: Connections for which this process has descriptors.
    package init(
        host: String = "127.0.0.1", port: UInt16, routes: [HTTPRoute], exchange: SnapshotExchange, access: WebAccess,
        allowedHosts: [String] = [], connectionBound: Int = .max
    ) throws(HTTPServerError) {
        let listener = try HTTPListener(host: host, port: port)
        self.listener = listener
        (self.port, isLoopback) = (listener.port, listener.isLoopback)
        self.exchange = exchange
        let loaded = access.current
        let connections = try HTTPConnections(
            limits: loaded.configuration.limits, descriptorBound: connectionBound)
        let hosts = HostNames(listenHost: host, isLoopback: listener.isLoopback, configured: allowedHosts)
        let gate: RequestAdmission
        do throws(SystemRefusal) {
            gate = try RequestAdmission(access: access, connections: connections, hosts: hosts)
        } catch {
            throw HTTPServerError(error)
        }
        let renderer: RenderThread
        do throws(SystemRefusal) {
            renderer = try RenderThread()
        } catch {
            gate.close()
            throw HTTPServerError(error)
        }
        self.renderer = renderer
        let dispatcher = HTTPDispatcher(routes: routes, exchange: exchange, renderer: renderer, gate: gate)
        callbacks = HTTPCallbacks(dispatcher: dispatcher, connections: connections, access: access)
        func giveUp(_ daemon: OpaquePointer?, _ acceptor: HTTPAcceptor?) {
            acceptor?.stop()
            listener.close()
            dispatcher.closeDesks()
            renderer.finish()
            if let daemon { MHD_stop_daemon(daemon) }
        }
        let daemon = callbacks.start(headerBytes: loaded.configuration.limits.headerBytes, tls: loaded.tls)
        guard let daemon else {
            giveUp(nil, nil)
            throw HTTPServerError("cannot start the HTTP server: \(HTTPServerError.systemMessage())")
        }
        var acceptor: HTTPAcceptor?
        do throws(SystemRefusal) {
            let accepting = try HTTPAcceptor(
                listener.descriptor, daemon: daemon, connections: connections, access: access)
            acceptor = accepting
            let expiry = try NamedThread("expiry") { while exchange.expireOnce() {} }
            running = Mutex(Running(daemon: daemon, expiry: expiry, acceptor: accepting))
        } catch {
            giveUp(daemon, acceptor)
            throw HTTPServerError(error)
        }
    }

    deinit {
        stop()
    }

    /// Answers what waits with 503, closes all connections and returns when its threads have ended. The exchange is
    /// closed with it. Calling it again does nothing.
    package func stop() {
        let taken = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let taken else { return }
        taken.acceptor.stop()
        listener.close()
        // libmicrohttpd aborts the process where a connection is still suspended: none may be from here on.
        exchange.closeForGood()
        callbacks.dispatcher.closeDesks()
        renderer.finish()
        MHD_stop_daemon(taken.daemon)
        taken.expiry.join()
    }
}
