/// One or more events in the form of `text/event-stream`, as bytes that all listeners share.
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html)
struct EventBlock: Sendable {
    /// The bytes in order. A whole document stays an array of its own, so that it is not copied.
    let parts: [[UInt8]]

    var count: Int { parts.reduce(0) { $0 + $1.count } }

    /// The first block of a stream: the time that a browser waits before it connects again, in milliseconds.
    static let beginning = EventBlock(parts: [Array("retry: 1000\n\n".utf8)])

    /// The end of an event.
    private static let end = Array("\n\n".utf8)

    /// - Parameter body: JSON in one line.
    static func snapshot(_ body: [UInt8], id: String) -> EventBlock {
        EventBlock(parts: [Array("id: \(id)\nevent: snapshot\ndata: ".utf8), body, end])
    }

    static func change(_ body: [UInt8], id: String) -> EventBlock {
        EventBlock(parts: [Array("id: \(id)\nevent: change\ndata: ".utf8), body, end])
    }

    static func heartbeat(unixNanoseconds: Int64) -> EventBlock {
        EventBlock(
            parts: [Array("event: heartbeat\ndata: {\"time\":\(unixNanoseconds / 1_000_000_000)}".utf8), end])
    }
}
