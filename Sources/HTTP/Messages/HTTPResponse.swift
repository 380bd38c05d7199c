/// An answer's status, headers and body.
package struct HTTPResponse: Sendable {
    package var status: UInt32
    package var contentType: String
    package var body: [UInt8]
    /// The Cache-Control header. A proxy's copy of most answers would be out of date.
    package var cacheControl = "no-store"
    /// Headers in addition to Content-Type, Content-Length and Cache-Control, which every response has.
    package var headers: [(name: String, value: String)] = []

    package init(status: UInt32 = 200, contentType: String, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// Makes a plain-text response. Adds the final line end.
    package static func text(_ text: String, status: UInt32 = 200) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array((text + "\n").utf8))
    }

    package static var noSnapshot: HTTPResponse {
        text("the collector made no snapshot in time: its drain agent is late; try again, and see its log", status: 503)
    }
}
