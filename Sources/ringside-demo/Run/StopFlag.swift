internal import Synchronization

/// Raised once, by whoever ends the run; looked at by the bots between two batches of messages.
final class StopFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}
