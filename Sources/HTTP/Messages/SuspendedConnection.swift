import CMicroHTTPD
internal import CRingside

/// A connection that libmicrohttpd has suspended.
///
/// `@unchecked Sendable`: libmicrohttpd keeps a suspended connection until it is resumed, which happens once.
/// MHD_resume_connection may be called from any thread.
struct SuspendedConnection: @unchecked Sendable {
    private let connection: OpaquePointer
    /// The descriptor that wakes the server's thread.
    private let wakeDescriptor: Int32

    init(_ connection: OpaquePointer) {
        self.connection = connection
        wakeDescriptor = Int32(ringside_http_slot(connection))
    }

    func resume() {
        MHD_resume_connection(connection)
        // libmicrohttpd may read its own wakeup in a turn that has already checked for resumed connections.
        ringside_eventfd_signal(wakeDescriptor)
    }
}
