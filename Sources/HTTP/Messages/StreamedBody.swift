import CMicroHTTPD

/// The source of a body that is made while its client takes it. Used on the server's thread alone.
protocol StreamedBodySource: AnyObject {
    /// Copies bytes of the body into the buffer. Returns their number, 0 if it has suspended the connection until there
    /// are more, or the code of libmicrohttpd for the end of the body.
    func read(into buffer: UnsafeMutableRawPointer, count: Int, from connection: OpaquePointer) -> Int

    /// Releases the body. Called once, after the client has all of it or has left.
    func drop()
}

/// Hands a body to libmicrohttpd piece by piece.
enum StreamedBody {
    private static let blockBytes = 64 << 10

    /// Returns a response; nil if there is no memory for it.
    static func makeResponse(_ source: any StreamedBodySource, on connection: OpaquePointer) -> OpaquePointer? {
        let context = Unmanaged.passRetained(Reading(source: source, connection: connection)).toOpaque()
        let response = MHD_create_response_from_callback(UInt64.max, blockBytes, readBody, context, dropBody)
        if response == nil { dropBody(context: context) }
        return response
    }
}

/// The context of a body's callbacks.
private final class Reading {
    let source: any StreamedBodySource
    let connection: OpaquePointer

    init(source: any StreamedBodySource, connection: OpaquePointer) {
        self.source = source
        self.connection = connection
    }
}

/// Reads a part of a body (`MHD_ContentReaderCallback`).
private func readBody(
    context: UnsafeMutableRawPointer?, position: UInt64, buffer: UnsafeMutablePointer<CChar>?, count: Int
) -> Int {
    guard let context, let buffer, count > 0 else { return ringside_http_end_with_error }
    let reading = Unmanaged<Reading>.fromOpaque(context).takeUnretainedValue()
    return reading.source.read(into: buffer, count: count, from: reading.connection)
}

/// Releases a body (`MHD_ContentReaderFreeCallback`).
private func dropBody(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<Reading>.fromOpaque(context).takeRetainedValue().source.drop()
}
