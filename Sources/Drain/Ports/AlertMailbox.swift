package import Platform
package import Rules
package import Series
internal import Synchronization

/// Where the drain's thread leaves batch of alerts and objectives, and goes on: it waits for nobody.
///
/// What changed stands there in order, and beside it how all alerts stood when they were last looked at, so that what was
/// missed is made up for. May be used from any thread.
package final class AlertMailbox: Sendable {
    package struct ObjectiveEvent: Sendable {
        package var change: ObjectiveChange
        package var objective: String
        package var bot: String
        package var target: Double
        package var unixNanoseconds: Int64
    }

    package struct Batch: Sendable {
        /// Alerts that began to fire or ended, with when that was.
        package var changes: [(alert: AlertSnapshot, unixNanoseconds: Int64)] = []
        package var objectives: [ObjectiveEvent] = []
        /// Those that fire; nil where nobody has looked since the batch before.
        package var standing: [AlertSnapshot]?
        package var unixNanoseconds: Int64 = 0
    }

    private let batch = Mutex(Batch())
    private let wakeup: Wakeup
    /// More than this many changes between two looks are made up for by how things stand.
    private static let limit = 1000

    /// - Parameter wakeup: Signalled when something changes.
    package init(wakeup: Wakeup) { self.wakeup = wakeup }

    func post(changes: [AlertSnapshot], standing: [AlertSnapshot], unixNanoseconds: Int64) {
        batch.withLock { batch in
            batch.changes.append(contentsOf: changes.map { ($0, unixNanoseconds) })
            batch.changes.removeFirst(max(0, batch.changes.count - Self.limit))
            batch.standing = standing
            batch.unixNanoseconds = unixNanoseconds
        }
        if !changes.isEmpty { wakeup.signal() }
    }

    func post(_ change: ObjectiveChange, objective: String, bot: String, target: Double, unixNanoseconds: Int64) {
        batch.withLock { batch in
            batch.objectives.append(
                ObjectiveEvent(
                    change: change, objective: objective, bot: bot, target: target, unixNanoseconds: unixNanoseconds))
            batch.objectives.removeFirst(max(0, batch.objectives.count - Self.limit))
        }
        wakeup.signal()
    }

    /// What was left since it was last asked.
    package func take() -> Batch {
        batch.withLock { batch in
            defer { batch = Batch() }
            return batch
        }
    }
}
