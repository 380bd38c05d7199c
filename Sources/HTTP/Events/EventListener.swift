internal import CMicroHTTPD
internal import Platform

/// One client of a feed: its position, and the bytes that are being sent to it. Used on the server's thread alone,
/// while its connection is not suspended.
final class EventListener: StreamedBodySource {
    /// The events of a feed that a listener has.
    struct Position: Sendable {
        /// The number of its last snapshot; nil before the first.
        var number: UInt64?
        /// The number of its last heartbeat.
        var heartbeat: UInt64
        /// The earliest time at which the making of a snapshot for it may have begun.
        let oldest: MonotonicTime
    }

    private let feed: EventFeed
    private(set) var position: Position
    /// The parts that are being sent, the next one last. `offset` is the place in that part.
    private var parts: [[UInt8]]
    private var offset = 0
    private let progress: @Sendable () -> Void

    init(
        feed: EventFeed, number: UInt64?, heartbeat: UInt64, oldest: MonotonicTime,
        progress: @escaping @Sendable () -> Void
    ) {
        self.feed = feed
        self.progress = progress
        position = Position(number: number, heartbeat: heartbeat, oldest: oldest)
        parts = EventBlock.beginning.parts.reversed()
    }

    deinit { feed.leave(self) }

    func read(into buffer: UnsafeMutableRawPointer, count: Int, from connection: OpaquePointer) -> Int {
        progress()
        if parts.isEmpty {
            switch feed.next(after: position) {
            case .end: return ringside_http_end_of_stream
            case .wait:
                wait(connection)
                return 0
            case .send(let blocks, let position):
                self.position = position
                parts = blocks.flatMap(\.parts).reversed()
            }
        } else if feed.isClosed {
            // The rest of an event would delay the collector's end.
            return ringside_http_end_with_error
        }
        return take(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
    }

    /// Does nothing. `deinit` leaves the feed, also for a listener that was never read.
    func drop() {}

    private func wait(_ connection: OpaquePointer) {
        MHD_suspend_connection(connection)
        let suspended = SuspendedConnection(connection)
        if !feed.wait(self, suspended) { suspended.resume() }
    }

    private func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < buffer.count, let part = parts.last {
            let count = min(buffer.count - filled, part.count - offset)
            part.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + count]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            }
            filled += count
            offset += count
            guard offset == part.count else { break }
            parts.removeLast()
            offset = 0
        }
        return filled
    }
}
