internal import Rules
package import Series

/// The drain's links to the exports: it hands over alerts and spans, and reads the exports' state.
package struct DeliveryLinks: Sendable {
    let notices: AlertMailbox?
    let exports: ExportAccounts?
    /// Receives traced records.
    let traces: TraceExchange?
    /// Alerts whose firing was already announced.
    private let announced: [AlertSnapshot]

    /// Makes the links of a collector without exports.
    package init() { (notices, exports, traces, announced) = (nil, nil, nil, []) }

    package init(notices: AlertMailbox, exports: ExportAccounts, traces: TraceExchange, announced: [AlertSnapshot]) {
        self.notices = notices
        self.exports = exports
        self.traces = traces
        self.announced = announced
    }

    /// Returns the stored alert states, with those that began to fire and were announced after the last checkpoint.
    /// These continue too, so that the beginning of an alert is not announced twice.
    func completing(_ alerts: [AlertState]) -> [AlertState] {
        let firing = Set(
            alerts.filter { $0.snapshot.state == .firing }.map { Pair(alert: $0.snapshot.alert, bot: $0.snapshot.bot) })
        var seen = firing
        let missing = announced.filter { seen.insert(Pair(alert: $0.alert, bot: $0.bot)).inserted }
        let others = alerts.filter { state in
            !missing.contains { $0.alert == state.snapshot.alert && $0.bot == state.snapshot.bot }
        }
        let known = Dictionary(
            alerts.map { (Pair(alert: $0.snapshot.alert, bot: $0.snapshot.bot), $0) }
        ) { first, _ in first }
        return others
            + missing.map {
                let state = known[Pair(alert: $0.alert, bot: $0.bot)]
                return AlertState(
                    snapshot: $0, heldSince: 0, looks: state?.looks ?? [], begins: state?.course.begins ?? [])
            }
    }

    private struct Pair: Hashable {
        var alert: String
        var bot: String
    }
}
