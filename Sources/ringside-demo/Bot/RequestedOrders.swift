internal import Synchronization

/// The orders that commands want a bot to send. The thread that reads commands adds them, the bot's thread takes them.
final class RequestedOrders: Sendable {
    private static let limit = 64
    private let sides = Mutex<[Side]>([])

    /// Adds an order. Many that are not taken are too many: the order is left out then.
    func add(_ side: Side) {
        sides.withLock { if $0.count < Self.limit { $0.append(side) } }
    }

    /// Removes and returns what was added.
    func take() -> [Side] {
        sides.withLock { sides in
            defer { sides.removeAll() }
            return sides
        }
    }
}
