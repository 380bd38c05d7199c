package import Platform
package import Rules
package import Series
internal import Synchronization

/// A mailbox of alerts and objectives, from the drain's thread to the exports. The drain never waits.
///
/// It contains the changes in order, and beside them the last state of all alerts, which makes up for missed changes.
/// May be used from any thread.
package final class AlertMailbox: Sendable {
    package struct ObjectiveEvent: Sendable {
        package var change: ObjectiveChange
        package var objective: String
        package var bot: String
        package var target: Double
        /// The time of the change, or the beginning of a state that holds.
        package var unixNanoseconds: Int64
    }

    package struct Batch: Sendable {
        /// Alerts that began to fire or ended, with the time of the change.
        package var changes: [(alert: AlertSnapshot, unixNanoseconds: Int64)] = []
        package var objectives: [ObjectiveEvent] = []
        /// The firing alerts; nil if alerts were not evaluated since the previous batch.
        package var firing: [AlertSnapshot]?
        /// Objectives that are violated or burn their budget, with their beginning; nil likewise.
        package var firingObjectives: [ObjectiveEvent]?
        package var unixNanoseconds: Int64 = 0

        /// Returns a batch with the changes of both, and the states of the later one.
        package func followed(by later: Batch) -> Batch {
            var both = later
            both.changes = (changes + later.changes).suffix(AlertMailbox.limit)
            both.objectives = (objectives + later.objectives).suffix(AlertMailbox.limit)
            return both
        }
    }

    private let batch = Mutex(Batch())
    private let wakeup: Wakeup
    /// The greatest number of changes between two batches. Older ones are dropped: the states make up for them.
    private static let limit = 1000

    /// - Parameter wakeup: Is signalled at each change.
    package init(wakeup: Wakeup) { self.wakeup = wakeup }

    func post(
        changes: [AlertSnapshot], firing: [AlertSnapshot], objectives: [ObjectiveEvent], unixNanoseconds: Int64
    ) {
        batch.withLock { batch in
            batch.changes.append(contentsOf: changes.map { ($0, unixNanoseconds) })
            batch.changes.removeFirst(max(0, batch.changes.count - Self.limit))
            batch.firing = firing
            batch.firingObjectives = objectives
            batch.unixNanoseconds = unixNanoseconds
        }
        if !changes.isEmpty { wakeup.signal() }
    }

    func post(_ event: ObjectiveEvent) {
        batch.withLock { batch in
            batch.objectives.append(event)
            // The earlier states do not include the change, so it would be taken for ended.
            batch.firingObjectives = nil
            batch.objectives.removeFirst(max(0, batch.objectives.count - Self.limit))
        }
        wakeup.signal()
    }

    /// Returns the changes since the last call, and removes them.
    package func take() -> Batch {
        batch.withLock { batch in
            defer { batch = Batch() }
            return batch
        }
    }
}
