internal import Series

/// Alerts that began to fire or ended, until the history has stored the event. If storing fails for so long that the
/// journal is full, the oldest events are removed. The history then corrects itself by the alert states in a snapshot.
///
/// Thread rule: the drain's.
struct AlertJournal {
    private(set) var events: [AlertEvent] = []
    private var last: UInt64 = 0
    private let receipt: HistoryReceipt
    private static let limit = 10_000

    init(receipt: HistoryReceipt) { self.receipt = receipt }

    mutating func note(_ changes: [AlertSnapshot]) {
        for alert in changes {
            last += 1
            events.append(AlertEvent(number: last, alert: alert))
        }
        let written = receipt.writtenAlert
        if let first = events.first, first.number <= written { events.removeAll { $0.number <= written } }
        events.removeFirst(max(0, events.count - Self.limit))
    }
}
