internal import Rules

/// Finds alerts of the file that no destination takes, and destinations that take no alert. Both are valid, and both are
/// usually a misspelt severity.
struct AlertRoutes {
    /// The severities of the ready-made alerts. A destination often leaves out the lower ones on purpose.
    private static let readyMade = Set((AlertDefinition.standard + AlertDefinition.ofUnusualLevels).map(\.severity))

    /// The alerts of the file.
    let own: [(alert: AlertDefinition, section: Section)]
    /// The webhooks and Alertmanagers of the file.
    var destinations: [(selection: AlertSelection, section: Section)] = []

    init(own: [(alert: AlertDefinition, section: Section)]) { self.own = own }

    /// Records a warning for each alert of a severity of its own that is sent nowhere, and for each destination without
    /// an alert. Without a destination no alert is meant to be sent.
    ///
    /// - Parameter alerts: All alerts, those of the file and the ready-made ones.
    func warn(alerts: [AlertDefinition]) {
        if destinations.isEmpty { return }
        for (alert, section) in own where !Self.readyMade.contains(alert.severity) {
            if destinations.contains(where: { $0.selection.takes(alert) }) { continue }
            section.warn(
                "severity",
                "no webhook and no Alertmanager takes an alert of the severity \"\(alert.severity)\", so it is only "
                    + "shown; add it to the `severities` of one, or give the alert another")
        }
        let severities = Set(alerts.map(\.severity)).sorted().quoted("and")
        for (selection, section) in destinations where !alerts.contains(where: selection.takes) {
            section.warn(
                section.has("severities") ? "severities" : "alerts",
                "it takes no alert; the alerts have the severities \(severities)")
        }
    }
}

extension AlertSelection {
    /// Returns whether alerts of that name and severity are taken, of some bot.
    fileprivate func takes(_ alert: AlertDefinition) -> Bool {
        alerts.contains { $0.matches(alert.name) } && severities.contains { $0.matches(alert.severity) }
    }
}
