internal import Arguments

/// Alerts and silences for people.
struct AlertsTable {
    let view: AlertsView

    func rendered(width: Int? = Terminal.columns) -> String {
        let tables = [alerts, silences, waiting].compactMap { $0?.rendered(width: width) }
        return (view.alerts.isEmpty ? "no alert fires or waits\n" : "")
            + (view.alerts.isEmpty && !tables.isEmpty ? "\n" : "") + tables.joined(separator: "\n")
    }

    private var alerts: Table? {
        guard !view.alerts.isEmpty else { return nil }
        var table = Table([
            .text("ID"), .text("SEVERITY"), .text("STATE"), .number("FOR"), .number("UNKNOWN"), .text("SILENCED UNTIL"),
            .number("VALUE"), .text("CONDITION"),
        ])
        // Firing alerts come first; each group keeps the collector's order.
        let (firing, others) = (view.alerts.filter(\.isFiring), view.alerts.filter { !$0.isFiring })
        for alert in firing + others {
            table.append([
                alert.id.printable, alert.severity.printable, alert.isFiring ? "fires" : "waits", age(alert.since),
                alert.unknownSince.map(age) ?? "-", alert.silencedUntil.map(Figures.time(unixSeconds:)) ?? "-",
                Figures.value(alert.value, unit: alert.unit), condition(alert),
            ])
        }
        return table
    }

    private func condition(_ alert: AlertsView.Alert) -> String {
        let labels = alert.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return (alert.condition + (labels.isEmpty ? "" : " {\(labels.joined(separator: ","))}")).printable
    }

    private var silences: Table? {
        guard !view.silences.isEmpty else { return nil }
        var table = Table([.number("SILENCE"), .text("ALERT"), .text("BOT"), .text("UNTIL"), .text("REASON")])
        for silence in view.silences {
            table.append([
                "\(silence.id)", silence.alert.printable, silence.bot.printable,
                Figures.time(unixSeconds: silence.until),
                silence.reason.printable,
            ])
        }
        return table
    }

    /// Rules that have nothing to judge. Without them a silent rule would look like a quiet one.
    private var waiting: Table? {
        guard !view.waiting.isEmpty else { return nil }
        var table = Table([.text("NOTHING TO JUDGE"), .text("METRIC"), .text("REASON")])
        for rule in view.waiting {
            let nearest = rule.nearest.map { "; did you mean \($0)?" } ?? ""
            table.append([
                "\(rule.kind) \(rule.name)".printable, rule.metric.printable, (rule.reason + nearest).printable,
            ])
        }
        return table
    }

    private func age(_ since: Double) -> String { Figures.age(seconds: view.time - since) }
}

extension AlertsView.Alert {
    fileprivate var isFiring: Bool { state == "firing" }
}
