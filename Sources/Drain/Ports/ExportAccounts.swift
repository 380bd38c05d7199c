package import Series
import Synchronization

/// The state of every destination. May be used from any thread; the lock is held only for one access.
package final class ExportAccounts: Sendable {
    private let accounts = Mutex<[String: ExportStatus]>([:])

    package init() {}

    /// All states, sorted by name.
    package var all: [ExportStatus] { accounts.withLock { $0.values.sorted { $0.name < $1.name } } }

    /// Removes all other destinations; the counts of these continue.
    package func keep(_ names: Set<String>) {
        accounts.withLock { accounts in
            accounts = accounts.filter { names.contains($0.key) }
            for name in names where accounts[name] == nil { accounts[name] = ExportStatus(name: name) }
        }
    }

    /// Changes the state of a destination. Ignored for one that was removed.
    package func note(_ name: String, _ change: (inout ExportStatus) -> Void) {
        accounts.withLock { accounts in
            if accounts[name] != nil { change(&accounts[name]!) }
        }
    }
}
