package import Series
import Synchronization

/// How every destination stands. May be used from any thread; nobody holds it for longer than a look.
package final class ExportAccounts: Sendable {
    private let accounts = Mutex<[String: ExportStatus]>([:])

    package init() {}

    /// By name.
    package var all: [ExportStatus] { accounts.withLock { $0.values.sorted { $0.name < $1.name } } }

    /// Destinations that are no longer there leave; counts of the others go on.
    package func keep(_ names: Set<String>) {
        accounts.withLock { accounts in
            accounts = accounts.filter { names.contains($0.key) }
            for name in names where accounts[name] == nil { accounts[name] = ExportStatus(name: name) }
        }
    }

    /// Of a destination that has left nothing is noted.
    package func note(_ name: String, _ change: (inout ExportStatus) -> Void) {
        accounts.withLock { accounts in
            if accounts[name] != nil { change(&accounts[name]!) }
        }
    }
}
