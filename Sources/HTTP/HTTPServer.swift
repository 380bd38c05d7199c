import CMicroHTTPD
package import Drain
import Glibc
internal import Platform
import Synchronization

/// The collector's HTTP server. One thread accepts connections and runs libmicrohttpd, which serves them. Others wake
/// suspended requests, write answers and hash passwords.
///
/// It serves from `init` until `stop()` or the end of the last reference. May be used from any thread. Its threads
/// inherit the signal mask of the thread that calls `init`. Block the signals there that are handled elsewhere.
package final class HTTPServer: Sendable {
    /// The port in use, also if port 0 was requested.
    package let port: UInt16
    /// Whether only this machine can reach it.
    package let isLoopback: Bool
    private let callbacks: HTTPCallbacks
    private let exchange: SnapshotExchange
    private let renderer: RenderThread
    private let listener: HTTPListener
    private let running: Mutex<Running?>

    /// `@unchecked Sendable`: any thread may use these handles. The mutex lets only one thread take them to stop.
    private struct Running: @unchecked Sendable {
        let daemon: OpaquePointer
        let expiry: NamedThread
        let loop: HTTPLoop
    }

    /// Starts to listen and serve.
    ///
    /// - Parameters:
    ///   - host: A name or an address; "" for all addresses of the machine.
    ///   - port: 0 for any free port.
    ///   - routes: All paths that answer. Every other path gets a 404 with a list of these.
    ///   - exchange: Provides snapshots to the routes. It is closed when the server stops.
    ///   - access: The access rules and limits. Changes apply to later requests.
    ///   - allowedHosts: Names of the server, beside addresses and the machine's own names.
    ///   - externalURL: The URL at which a proxy shows the server to browsers. Its host is one of the server's names.
    ///   - connectionBound: The most connections for which this process has descriptors.
    package init(
        host: String = "127.0.0.1", port: UInt16, routes: [HTTPRoute], exchange: SnapshotExchange,
        access: WebConfigurationFile,
        allowedHosts: [String] = [], externalURL: String? = nil, connectionBound: Int = .max
    ) throws(HTTPServerError) {
        let listener = try HTTPListener(host: host, port: port)
        self.listener = listener
        (self.port, isLoopback) = (listener.port, listener.isLoopback)
        self.exchange = exchange
        let loaded = access.current
        let connections = try HTTPConnections(
            limits: loaded.configuration.limits, descriptorBound: connectionBound)
        let external = externalURL.flatMap { HTTPOrigin(ofURL: $0) }
        let names = allowedHosts + (external.map { [$0.authority.host] } ?? [])
        let hosts = HostNames(listenHost: host, isLoopback: listener.isLoopback, configured: names)
        let gate: RequestAdmission
        do throws(SystemRefusal) {
            gate = try RequestAdmission(access: access, connections: connections, hosts: hosts, external: external)
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
        func giveUp(_ daemon: OpaquePointer?, _ loop: HTTPLoop?) {
            loop?.stop()
            listener.close()
            dispatcher.closePools()
            renderer.finish()
            if let daemon { MHD_stop_daemon(daemon) }
        }
        let daemon = callbacks.start(headerBytes: loaded.configuration.limits.headerBytes, tls: loaded.tls)
        guard let daemon else {
            giveUp(nil, nil)
            throw HTTPServerError("cannot start the HTTP server: \(HTTPServerError.systemMessage())")
        }
        var loop: HTTPLoop?
        do throws(SystemRefusal) {
            let serving = try HTTPLoop(
                listener.descriptor, daemon: daemon, connections: connections, access: access)
            loop = serving
            let expiry = try NamedThread("expiry") { while exchange.expireOnce() {} }
            running = Mutex(Running(daemon: daemon, expiry: expiry, loop: serving))
        } catch {
            giveUp(daemon, loop)
            throw HTTPServerError(error)
        }
    }

    deinit {
        stop()
    }

    /// Answers waiting requests with 503, closes all connections and returns when the threads have ended. Closes the
    /// exchange too. Further calls do nothing.
    package func stop() {
        let taken = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let taken else { return }
        taken.loop.close()
        // libmicrohttpd aborts the process if a connection is still suspended, and a connection must not be resumed
        // after its end. So each thread that resumes connections ends before the server does.
        exchange.closeForGood()
        taken.expiry.join()
        callbacks.dispatcher.closePools()
        renderer.finish()
        taken.loop.stop()
        listener.close()
        MHD_stop_daemon(taken.daemon)
    }
}
