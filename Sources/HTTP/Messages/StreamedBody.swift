import CMicroHTTPD

/// What a body is read from that is made while its client takes it. Used on the server's thread alone.
protocol StreamedBodySource: AnyObject {
    /// Tells libmicrohttpd how many bytes are ready, that the connection is suspended until there are some, or that the
    /// body has ended.
    func read(into buffer: UnsafeMutableRawPointer, count: Int, from connection: OpaquePointer) -> Int

    /// Called once, after the client has all of it or has gone.
    func drop()
}

/// Hands a body to libmicrohttpd piece by piece.
enum StreamedBody {
    private static let blockBytes = 64 << 10

    /// Returns nil if there is no memory for one.
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

/// `MHD_ContentReaderCallback`
private func readBody(
    context: UnsafeMutableRawPointer?, position: UInt64, buffer: UnsafeMutablePointer<CChar>?, count: Int
) -> Int {
    guard let context, let buffer, count > 0 else { return ringside_http_end_with_error }
    let reading = Unmanaged<Reading>.fromOpaque(context).takeUnretainedValue()
    return reading.source.read(into: buffer, count: count, from: reading.connection)
}

/// `MHD_ContentReaderFreeCallback`
private func dropBody(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<Reading>.fromOpaque(context).takeRetainedValue().source.drop()
}
