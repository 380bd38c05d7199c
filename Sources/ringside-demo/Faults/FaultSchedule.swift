internal import Synchronization

/// All faults of one bot, and the start of its run. The bot and its venue share it.
struct FaultSchedule: Sendable {
    var faults: [Fault] = []
    /// The faults that commands add; nil: there are no commands.
    var added: AddedFaults?
    /// On the monotonic clock.
    var startNanoseconds: Int64

    /// Returns whether a fault of that kind holds at a moment of the monotonic clock.
    func isActive(_ kind: FaultKind, at nowNanoseconds: Int64) -> Bool {
        let elapsed = nowNanoseconds - startNanoseconds
        return faults.contains { $0.kind == kind && $0.isActive(at: elapsed) }
            || added?.isActive(kind, at: nowNanoseconds) == true
    }
}

/// Faults that are added while a bot runs. Their start is on the monotonic clock.
final class AddedFaults: Sendable {
    private let faults = Mutex<[Fault]>([])

    /// Adds a fault whose start counts from now. A fault of the same kind that was added before ends.
    func add(_ fault: Fault, at nowNanoseconds: Int64) {
        var fault = fault
        fault.startNanoseconds += nowNanoseconds
        faults.withLock { faults in
            faults.removeAll { $0.kind == fault.kind }
            faults.append(fault)
        }
    }

    func isActive(_ kind: FaultKind, at nowNanoseconds: Int64) -> Bool {
        faults.withLock { $0.contains { $0.kind == kind && $0.isActive(at: nowNanoseconds) } }
    }
}
