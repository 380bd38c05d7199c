internal import Rules
package import Series

/// What the drain's thread has of those who send: where it leaves word, and what it shows of them.
package struct DeliveryLinks: Sendable {
    let notices: AlertMailbox?
    let exports: ExportAccounts?
    /// Where traced records go.
    let traces: TraceExchange?
    /// Alerts of which somebody was told that they fire.
    private let announced: [AlertSnapshot]

    /// Of a collector that tells nobody anything.
    package init() { (notices, exports, traces, announced) = (nil, nil, nil, []) }

    package init(notices: AlertMailbox, exports: ExportAccounts, traces: TraceExchange, announced: [AlertSnapshot]) {
        self.notices = notices
        self.exports = exports
        self.traces = traces
        self.announced = announced
    }

    /// What was kept of alerts, with those that began to fire after the last checkpoint and were told of: they go on too, so
    /// that nobody is told twice that one begins.
    func completing(_ kept: [AlertState]) -> [AlertState] {
        let firing = Set(
            kept.filter { $0.snapshot.state == .firing }.map { Pair(alert: $0.snapshot.alert, bot: $0.snapshot.bot) })
        var seen = firing
        let missing = announced.filter { seen.insert(Pair(alert: $0.alert, bot: $0.bot)).inserted }
        let others = kept.filter { kept in
            !missing.contains { $0.alert == kept.snapshot.alert && $0.bot == kept.snapshot.bot }
        }
        let looks = Dictionary(
            kept.map { (Pair(alert: $0.snapshot.alert, bot: $0.snapshot.bot), $0.looks) }
        ) { first, _ in first }
        return others
            + missing.map {
                AlertState(snapshot: $0, heldSince: 0, looks: looks[Pair(alert: $0.alert, bot: $0.bot)] ?? [])
            }
    }

    private struct Pair: Hashable {
        var alert: String
        var bot: String
    }
}
