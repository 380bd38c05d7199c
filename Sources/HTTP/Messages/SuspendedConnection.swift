import CMicroHTTPD

/// A connection that libmicrohttpd has suspended.
///
/// `@unchecked Sendable`: libmicrohttpd keeps a suspended connection until it is resumed, which happens once, and
/// MHD_resume_connection may be called from any thread.
struct SuspendedConnection: @unchecked Sendable {
    private let connection: OpaquePointer

    init(_ connection: OpaquePointer) {
        self.connection = connection
    }

    func resume() {
        MHD_resume_connection(connection)
    }
}
