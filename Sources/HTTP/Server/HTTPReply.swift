import CMicroHTTPD
import Glibc

/// A response in libmicrohttpd's own form, which may be sent to any number of clients.
///
/// `@unchecked Sendable`: it is not changed after `init`, and libmicrohttpd counts its users under a lock of its own.
final class HTTPReply: @unchecked Sendable {
    /// What it was made of, without the body.
    let head: HTTPResponse
    /// The body, as long as this lives.
    let body: UnsafeRawBufferPointer
    private let response: OpaquePointer?

    init(_ content: HTTPResponse) {
        let count = content.body.count
        var head = content
        head.body = []
        self.head = head
        // libmicrohttpd frees the block when its last user, this or a connection that still sends, has gone.
        let block = malloc(max(count, 1))
        content.body.withUnsafeBytes { bytes in
            if let first = bytes.baseAddress { block?.copyMemory(from: first, byteCount: count) }
        }
        response = block.flatMap { MHD_create_response_from_buffer_with_free_callback(count, $0) { free($0) } }
        body = UnsafeRawBufferPointer(start: block, count: response == nil ? 0 : count)
        if response == nil { free(block) }
        addHeaders()
    }

    /// A body that is read from a stream as the client takes it.
    init(_ head: HTTPResponse, _ stream: HTTPAnswerStream, on connection: OpaquePointer) {
        self.head = head
        body = UnsafeRawBufferPointer(start: nil, count: 0)
        response = HTTPStreamedBody.makeResponse(stream, on: connection)
        addHeaders()
    }

    /// Nothing that could be sent: the connection is closed.
    private init(unsendable head: HTTPResponse) {
        (self.head, response, body) = (head, nil, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    static let closing = HTTPReply(unsendable: .text("", status: 500))

    private func addHeaders() {
        guard let response else { return }
        MHD_add_response_header(response, "Content-Type", head.contentType)
        // A proxy's copy would be older than the request.
        MHD_add_response_header(response, "Cache-Control", "no-store")
        // A page of another site makes nothing of it, neither as a script nor as a picture.
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff")
        MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin")
        for header in head.headers { MHD_add_response_header(response, header.name, header.value) }
    }

    deinit {
        if let response { MHD_destroy_response(response) }
    }

    /// Hands the response to a connection; MHD_NO closes it, where there was no memory for one.
    func queue(on connection: OpaquePointer) -> MHD_Result {
        guard let response else { return .NO }
        return MHD_queue_response(connection, head.status, response)
    }
}
