import CMicroHTTPD
import Glibc

/// A response in libmicrohttpd's form, which may be sent to any number of clients.
///
/// `@unchecked Sendable`: it is immutable after `init`. libmicrohttpd counts its users under its own lock.
final class HTTPReply: @unchecked Sendable {
    /// The response's status and headers, without the body.
    let head: HTTPResponse
    /// The body; valid while this object lives.
    let body: UnsafeRawBufferPointer
    /// Whether the body is a stream of events.
    let isEndless: Bool
    private let response: OpaquePointer?

    init(_ content: HTTPResponse) {
        isEndless = false
        let count = content.body.count
        var head = content
        head.body = []
        self.head = head
        // libmicrohttpd frees the block after its last user, which is this object or a connection that still sends it.
        let block = malloc(max(count, 1))
        content.body.withUnsafeBytes { bytes in
            if let first = bytes.baseAddress { block?.copyMemory(from: first, byteCount: count) }
        }
        response = block.flatMap { MHD_create_response_from_buffer_with_free_callback(count, $0) { free($0) } }
        body = UnsafeRawBufferPointer(start: block, count: response == nil ? 0 : count)
        if response == nil { free(block) }
        addHeaders()
    }

    /// Makes a reply whose body is read from a stream as the client takes it.
    init(_ head: HTTPResponse, _ stream: HTTPAnswerStream, on connection: OpaquePointer) {
        self.head = head
        isEndless = false
        body = UnsafeRawBufferPointer(start: nil, count: 0)
        response = StreamedBody.makeResponse(stream, on: connection)
        addHeaders()
    }

    /// Makes a reply whose body goes on until the listener's feed ends.
    init(_ head: HTTPResponse, _ listener: EventListener, on connection: OpaquePointer) {
        self.head = head
        isEndless = true
        body = UnsafeRawBufferPointer(start: nil, count: 0)
        response = StreamedBody.makeResponse(listener, on: connection)
        addHeaders()
    }

    /// Makes a reply that cannot be sent. The connection is closed instead.
    private init(unsendable head: HTTPResponse) {
        (self.head, response, body) = (head, nil, UnsafeRawBufferPointer(start: nil, count: 0))
        isEndless = false
    }

    static let closing = HTTPReply(unsendable: .text("", status: 500))

    private func addHeaders() {
        guard let response else { return }
        MHD_add_response_header(response, "Content-Type", head.contentType)
        MHD_add_response_header(response, "Cache-Control", head.cacheControl)
        // Keeps pages of other sites from using it as a script or a picture.
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff")
        MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin")
        for header in head.headers { MHD_add_response_header(response, header.name, header.value) }
    }

    deinit {
        if let response { MHD_destroy_response(response) }
    }

    /// Hands the response to a connection. Returns MHD_NO, which closes the connection, if there was no memory for a
    /// response.
    func queue(on connection: OpaquePointer) -> MHD_Result {
        guard let response else { return .NO }
        return MHD_queue_response(connection, head.status, response)
    }
}
