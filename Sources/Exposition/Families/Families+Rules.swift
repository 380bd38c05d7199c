internal import JSON
import Series

/// Objectives and alerts. Without data there is no sample, because a zero would be wrong, and so would NaN.
extension FamilyBuilder {
    mutating func addRules(_ snapshot: Snapshot) {
        addObjectives(snapshot.objectives)
        func addAlerts(
            _ name: String, _ help: String, _ alerts: [AlertSnapshot], value: (AlertSnapshot) -> UInt64 = { _ in 1 }
        ) {
            addAll(
                name, .gauge, help,
                alerts.map { alert in
                    // The collector's own alerts belong to no bot.
                    let bot = alert.bot.isEmpty ? [] : [Label("bot", alert.bot)]
                    let labels = [Label("alert", alert.alert)] + bot + [Label("severity", alert.severity)]
                    return (.unsigned(value(alert)), labels)
                })
        }
        addAlerts("ringside_alert_active", "Whether the alert fires.", snapshot.alerts) {
            $0.state == .firing ? 1 : 0
        }
        addAlerts(
            "ringside_alert_silenced", "1 for an alert that an operator has silenced, whether it fires or not.",
            snapshot.alerts.filter(\.isSilenced))
        addAlerts(
            "ringside_alert_unknown",
            "1 for an alert that fires on without data: its bot is down, hangs or has lost its ring.",
            snapshot.alerts.filter { $0.unknownSinceUnixNanoseconds != nil })
    }

    private mutating func addObjectives(_ objectives: [ObjectiveSnapshot]) {
        func each(
            _ read: (ObjectiveSnapshot) -> [(value: Number?, more: [Label])]
        ) -> [(value: Number, labels: [Label])] {
            objectives.flatMap { objective in
                let labels = [Label("bot", objective.bot), Label("objective", objective.objective)]
                return read(objective).compactMap { value, more in value.map { ($0, labels + more) } }
            }
        }
        addAll(
            "ringside_slo_target_ratio", .gauge, "The share of events that must be good.",
            each { [(.real($0.target), [])] }, unit: .ratio)
        addAll(
            "ringside_slo_good_events_total", .counter, "Events at the threshold or below, counted one by one.",
            each { [(.unsigned($0.counts.good), [])] })
        addAll(
            "ringside_slo_bad_events_total", .counter, "Events beyond the threshold, counted one by one.",
            each { [(.unsigned($0.counts.bad), [])] })
        addAll(
            "ringside_slo_compliance_ratio", .gauge, "Good events of all in the window.",
            each { $0.windows.map { ($0.compliance.map { .real($0) }, [Label("window", $0.name)]) } }, unit: .ratio)
        addAll(
            "ringside_slo_error_budget_remaining_ratio", .gauge,
            "The share of the error budget of 30 days that is left; below 0 it is overspent.",
            each { [($0.budgetRemaining.map { .real($0) }, [])] }, unit: .ratio)
        addAll(
            "ringside_slo_burn_rate", .gauge, "How fast the error budget is spent: 1 spends it in exactly 30 days.",
            each { burnRates($0).map { (.real($0.rate), [Label("window", $0.window)]) } })
        addAll(
            "ringside_slo_burning", .gauge,
            "Whether the burn rate is at its limit in the long window and the short one.",
            each {
                $0.burns.map { burn in
                    let labels = [Label("long", burn.longWindow), Label("short", burn.shortWindow)]
                    return (burn.isBurning.map { .unsigned($0 ? 1 : 0) }, labels)
                }
            })
        addAll(
            "ringside_slo_violated", .gauge, "Whether the shortest window with enough events is below the target.",
            each { [($0.state == .noData ? nil : .unsigned($0.state == .violated ? 1 : 0), [])] })
    }

    /// Returns the burn rate of each window once. The window 6h is the short window of one pair and the long window of
    /// another.
    private func burnRates(_ objective: ObjectiveSnapshot) -> [(window: String, rate: Double)] {
        var rates: [(window: String, rate: Double)] = []
        for burn in objective.burns {
            for (window, rate) in [(burn.shortWindow, burn.shortRate), (burn.longWindow, burn.longRate)] {
                guard let rate, !rates.contains(where: { $0.window == window }) else { continue }
                rates.append((window, rate))
            }
        }
        return rates
    }
}
